import db from '@adonisjs/lucid/services/db'
import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import type { LucidModel, LucidRow } from '@adonisjs/lucid/types/model'
import { dialectOf } from '#base/database/dialects'
import type { ForeignKey, TableIntrospection } from '#base/database/introspection'
import { listed, RuntimeError, shown, ValueError } from '#base/errors'
import type { Actor, ColumnSettings, FilterMap } from '../types.js'
import { BodySchema } from '#base/schema/body_schema'
import type { Column } from '#base/columns/column'
import { ColumnSet } from '#base/columns/column_set'
import { deriveSchema } from '../schema/derived_schema.js'
import { Filters } from './filters.js'
import { includedRelationsOf, type IncludeOption, type RelationTo } from './included_relation.js'
import { Key } from '#base/columns/key'
import { KEY_KINDS, type KeyKind } from '#base/values/new_key'
import { inUtc } from '#base/values/datetime'
import { storeWholeSeconds } from '#base/lucid/column_functions'
import { compareData } from '#upstream/lucid_dirty_data'
import { shareTransactionEnds } from '#upstream/lucid_record_transactions'
import { policyTakesRecord } from './policy_takes_record.js'
import { CompiledSchema, type ObjectSchema, type SchemaField } from '#base/schema/object_schema'
import type { Fields } from '#base/columns/fields'
import { Reader } from '../sql/reader.js'
import type { Scope } from './scope.js'
import { SoftDelete } from '#base/columns/soft_delete'
import type { FilterConfig } from './filter_config.js'
import { KnownResources } from './known_resources.js'
import { isRead, OPERATIONS, type Operation } from '../operations/operation.js'
import { readOnlyOf, type ReadOnly } from './read_only.js'
import { guardedScope } from '../sql/apply_scope.js'
import { narrowedBy } from '../sql/reach_sql.js'
import { permissions, type GrantedOperation } from './permissions.js'
import type { Projection } from './projection.js'
import { Projections } from './projections.js'
import { CRUD_OPTIONS, storedOptions } from '#base/stored_options'

export type { Scope } from './scope.js'

/**
 * Decides whether the actor may perform the action, on the record if one is given. A policy that
 * declares `record`, or can receive it by a rest parameter, after a default or through `arguments`, is
 * asked to `read` every record that is returned, those of lists, counts and includes too. Leave `record`
 * out if only actor and action count: a list then needs one call. [P14]
 */
export type Policy = (
  actor: Actor,
  action: Operation,
  resource: Resource,
  record?: LucidRow
) => boolean | Promise<boolean>

/** A relation whose items a model's responses can include. [Q3] */
export type IncludedRelation = RelationTo<Resource>

/** The options of `@Crud` about the model itself. [P4] */
export interface ResourceOptions extends ColumnSettings {
  /** Tags of the endpoints in the API schema */
  tags?: Iterable<string>
  /** Body of create. Default: derived from the table [P7] */
  createSchema?: ObjectSchema
  /** Body of update. Default: derived from the table [P7] */
  updateSchema?: ObjectSchema
  /** When given, the hard-delete endpoint exists [S5] */
  deleteSchema?: ObjectSchema
  /** Generates the key of a new record that is given none: UUID of version 7 or 4, or ULID */
  key?: KeyKind
  /** Its fields are the fields of the responses. Default: all columns that are not hidden [A2] */
  selectSchema?: ObjectSchema
  /**
   * Body fields that are not columns; they are passed to `prepareCreate` and `prepareUpdate` of
   * `LucidCrud` [P6]
   */
  virtualFields?: Iterable<string>
  /** Filters of the list [S11] */
  filterConfig?: FilterConfig | FilterMap
  /** True if `?deleted=include` and `only` show soft-deleted items [A22] */
  showDeleted?: boolean
  /** Relations that `include=` may add to the responses [Q3] */
  include?: Iterable<string | IncludeOption>
  /** Allowed actions of each actor; default: all [P14] */
  policy?: Policy
  /** Visible rows of each actor; default: all [P14] */
  scope?: Scope
}

/**
 * The description of a model: its class and options, checked once when it is created, and the
 * introspection, after `load()`. It never changes afterwards, and all other code uses it instead of
 * Lucid. [P2, P15]
 */
export class Resource {
  readonly model: LucidModel
  readonly name: string
  readonly table: string
  readonly tags: readonly string[]
  readonly columns: ColumnSet
  readonly key: Key
  readonly softDelete: SoftDelete | undefined
  readonly updatedAt: Column | undefined
  readonly filters: Filters
  readonly showDeleted: boolean
  readonly virtualFields: readonly string[]
  readonly policy: Policy | undefined
  /** True if the policy decides about each record, and not only about the model [P14] */
  readonly authorizesRecords: boolean
  readonly scope: Scope | undefined

  /** The columns of responses, in declaration order [A2] */
  readonly fields: readonly Column[]
  /** The computed properties of responses: attribute -> API name */
  readonly computed: ReadonlyMap<string, string>
  /** All fields of a response without a selection */
  readonly responseFields: Fields
  /** The relations that responses can include, by API name [Q3] */
  readonly includes: ReadonlyMap<string, IncludedRelation>
  /** The fields of `selectSchema`, by API name [P4] */
  readonly selected: ReadonlyMap<string, SchemaField> | undefined
  /** The columns that a list can be sorted by, by API name [A15] */
  readonly sortable: ReadonlyMap<string, Column> = new Map()

  /** Reads the resource's items */
  readonly reader = new Reader(this)

  /** The grants that the resource is projected by, if it is [U4] */
  readonly projection: Projection | undefined
  /** The columns shown on some records only, with the scopes that show them [U3] */
  readonly mixedColumns: ReadonlyMap<Column, readonly Scope[]> = new Map()

  readonly #options: ResourceOptions & { model: LucidModel }
  readonly #base: Resource | undefined
  #projections: Projections<Resource> | undefined
  readonly #schemas: { create?: CompiledSchema; update?: CompiledSchema }
  #hiddenHere: ReadonlySet<string> | undefined
  #createBody: BodySchema | undefined
  #updateBody: BodySchema | undefined
  #keyComes = false
  #foreignKeys: ForeignKey[] = []
  #uniqueKeys: readonly string[][] = []
  #wholeKeys: readonly string[][] = []
  #constraints: ReadonlyMap<string, readonly string[]> = new Map()
  #readOnly: ReadOnly | null = null
  #loading: Promise<void> | undefined
  #isLoaded = false

  /**
   * @throws TypeError     when the model is not a Lucid model
   * @throws ValueError    for an invalid option
   * @throws RuntimeError  when the model's database connection does not exist
   */
  constructor(
    options: ResourceOptions & { model: LucidModel },
    { base, projection }: { base?: Resource; projection?: Projection } = {}
  ) {
    this.#options = options
    this.#base = base
    this.projection = projection
    this.model = lucidModel(options.model)
    this.name = this.model.name
    this.table = this.model.table
    this.tags = [...(options.tags ?? [this.name])]
    storeWholeSeconds(this.model, inUtc)
    compareData(this.model)
    shareTransactionEnds(this.model)
    this.columns = base
      ? base.columns.project(this.model, projection!.hidden, projection!.mixed)
      : new ColumnSet(this.model)
    this.key = this.#keyOf()
    this.virtualFields = [...(options.virtualFields ?? [])]
    this.#checkVirtualFields()
    this.policy = options.policy
    this.authorizesRecords = this.policy !== undefined && policyTakesRecord(this.policy)
    this.scope = base
      ? narrowedBy(base, base.scope, projection!.reach('read'))
      : options.scope && guardedScope(options.scope)
    this.showDeleted = options.showDeleted ?? false
    this.#checkConnection()

    const { isDeletedColumn, deletedAtColumn, updatedAtColumn } = options
    const flag = this.columns.fromSetting('isDeletedColumn', isDeletedColumn, 'is_deleted')
    const at = this.columns.fromSetting('deletedAtColumn', deletedAtColumn, 'deleted_at')
    this.softDelete = flag || at ? new SoftDelete(this.table, flag, at) : undefined
    if (this.showDeleted && !this.softDelete) {
      throw new ValueError(
        `${this.name}: showDeleted is set, but no column marks deleted items; name one by isDeletedColumn or deletedAtColumn`
      )
    }
    this.updatedAt = this.columns.fromSetting('updatedAtColumn', updatedAtColumn, 'updated_at')

    this.#schemas = base
      ? base.#schemas
      : {
          create: this.#compile('createSchema', options.createSchema),
          update: this.#compile('updateSchema', options.updateSchema),
        }
    if (!base) this.#compile('deleteSchema', options.deleteSchema)
    this.selected = base ? base.selected : this.#selectedFields(options.selectSchema)
    this.fields = this.columns.visible.filter(
      (column) => this.selected?.has(column.apiName) ?? true
    )
    this.computed = this.#computedProperties()
    this.responseFields = { columns: this.fields, computed: this.computed }
    if (base) {
      this.includes = this.#includesLeft(base)
      this.filters = base.filters.visibleIn(this.columns)
      this.mixedColumns = this.#mixedColumnsOf(projection!)
      this.#takeLoaded(base)
      return
    }
    this.includes = includedRelationsOf(
      this.model,
      options.include ?? [],
      this.columns,
      [...this.columns.all.map(({ apiName }) => apiName), ...this.computed.values()],
      (model) => knownResources.of(model)
    )
    this.filters = new Filters(options.filterConfig, this.columns, this.name)
  }

  /**
   * The resource projected by the actor's grants: itself for an unrestricted actor, else a cached resource in
   * which hidden columns behave as those with `serializeAs: null`. [U4]
   *
   * @param client  loads the resource, if it is not loaded yet
   */
  async for(actor: Actor, client?: QueryClientContract): Promise<Resource> {
    if (this.#base) return await this.#base.for(actor, client)
    const known = permissions()
    if (!known || !isGoverned(actor)) return this
    if (!this.#isLoaded) await this.load(client)
    this.#projections ??= new Projections(
      this,
      (projection) => new Resource(this.#options, { base: this, projection })
    )
    return await this.#projections.for(actor, known)
  }

  /**
   * The unprojected resource; itself, if it is not projected.
   */
  get base(): Resource {
    return this.#base ?? this
  }

  /**
   * True if grants allow the operation, on any records. [U2]
   */
  permits(operation: GrantedOperation): boolean {
    if (this.readOnly && !isRead(operation)) return false
    return this.projection?.permits(operation) ?? true
  }

  /** True if every update sets the column anew */
  isStamp({ autoUpdate, name }: Column): boolean {
    return autoUpdate || name === (this.updatedAt ?? this.base.updatedAt)?.name
  }

  /** Why no record can be written; null if records can be, or until the table is known */
  get readOnly(): ReadOnly | null {
    return this.base.#readOnly
  }

  /**
   * The operations that grants allow, on any records. [U2]
   */
  get allowedOperations(): ReadonlySet<GrantedOperation> {
    const all: GrantedOperation[] = [...OPERATIONS, 'restore']
    return new Set(all.filter((operation) => this.permits(operation)))
  }

  /**
   * True if grants hide a visible column, on all records or on some.
   */
  conceals({ apiName, attribute }: Column): boolean {
    if (!this.#base) return false
    if (this.projection!.mixed.has(apiName)) return true
    return this.hidesColumns && this.concealed.has(attribute)
  }

  /** True if grants hide visible columns on all records */
  get hidesColumns(): boolean {
    return this.#base !== undefined && this.concealed.size > 0
  }

  /** Attributes of the visible columns that grants hide on all records */
  get concealed(): ReadonlySet<string> {
    this.#hiddenHere ??= new Set(
      this.columns.all
        .filter((column, index) => column.hidden && !this.base.columns.all[index].hidden)
        .map(({ attribute }) => attribute)
    )
    return this.#hiddenHere
  }

  /** An item of an embedded relation tells the column that ties it. */
  #includesLeft({ includes }: Resource): Map<string, IncludedRelation> {
    const { hidden, mixed, withoutIncludes } = this.projection!
    return new Map(
      [...includes].filter(([name, { column }]) => {
        const isTied = column.isPrimary || !hidden.has(column.apiName)
        return isTied && !withoutIncludes.has(name) && !hidden.has(name) && !mixed.has(name)
      })
    )
  }

  /** A key identifies the record: it is shown wherever any grant shows it. */
  #mixedColumnsOf({ mixed }: Projection): Map<Column, readonly Scope[]> {
    const columns = new Map<Column, readonly Scope[]>()
    for (const column of this.columns.all) {
      const scopes = mixed.get(column.apiName)
      if (scopes && !column.isPrimary) columns.set(column, scopes)
    }
    return columns
  }

  #takeLoaded(base: Resource): void {
    this.#foreignKeys = base.#foreignKeys
    this.#uniqueKeys = base.#uniqueKeys
    this.#wholeKeys = base.#wholeKeys
    this.#constraints = base.#constraints
    this.#keyComes = base.#keyComes
    this.#fillSortable()
    this.#isLoaded = true
  }

  /**
   * The resource of a model's decorator.
   *
   * @param settings  override those of the decorator
   * @throws the errors of the constructor
   */
  static fromDecorator(model: LucidModel, settings: ColumnSettings = {}): Resource {
    const options = storedOptions<ResourceOptions>(model, CRUD_OPTIONS, '@Crud')
    return new Resource({ ...options, ...settings, model })
  }

  get isLoaded(): boolean {
    return this.#isLoaded
  }

  /** The body schema of a create. */
  get createBody(): BodySchema {
    this.#createBody ??= this.#bodySchema('create')
    return this.#createBody
  }

  /** The body schema of an update. */
  get updateBody(): BodySchema {
    this.#updateBody ??= this.#bodySchema('update')
    return this.#updateBody
  }

  get foreignKeys(): readonly ForeignKey[] {
    return this.#foreignKeys
  }

  /** Names of the columns of each unique index, partial ones too */
  get uniqueKeys(): readonly string[][] {
    return this.#uniqueKeys
  }

  /** Of them those of which no two rows have the same values, the primary key among them */
  get wholeKeys(): readonly string[][] {
    return this.#wholeKeys
  }

  /** Columns by constraint name, for databases whose errors name only the constraint */
  get constraints(): ReadonlyMap<string, readonly string[]> {
    return this.#constraints
  }

  /**
   * The client of the model's own connection.
   */
  client(): QueryClientContract {
    return db.connection(this.model.connection)
  }

  /**
   * Loads the introspection of the table, once; a failed attempt can be repeated. [P15]
   *
   * @param introspection  read already; null for a missing table
   * @throws RuntimeError  when the table or a column is missing
   * @throws ValueError    when an option does not match the columns' types
   */
  async load(
    client: QueryClientContract = this.client(),
    introspection?: TableIntrospection | null
  ): Promise<void> {
    if (this.#isLoaded) return
    /* A concurrent load may be waiting for the connection that this transaction uses. */
    if (client.isTransaction) return await this.#load(client, introspection)
    this.#loading ??= this.#load(client, introspection).finally(() => (this.#loading = undefined))
    await this.#loading
  }

  async #load(
    client: QueryClientContract,
    given: TableIntrospection | null | undefined
  ): Promise<void> {
    if (this.#isLoaded) return
    const introspection =
      given === undefined ? await dialectOf(client).readTable(client, this.table) : given
    if (!introspection) {
      throw new RuntimeError(
        `${this.name}: the table ${this.table} does not exist on the connection "${client.connectionName}". Create it with: node ace migrate`
      )
    }
    const missing = this.columns.all.filter((column) => !introspection.columns.has(column.name))
    if (missing.length > 0) {
      throw new RuntimeError(
        `${this.name}: the table ${this.table} has no column ${listed(missing.map((column) => column.name))}; it has ${listed(introspection.columns.keys())}. Pending migrations run with: node ace migrate`
      )
    }

    this.columns.all.forEach((column) =>
      column.introspected(introspection.columns.get(column.name)!)
    )
    if (given === undefined) {
      await dialectOf(client).sampleForms?.(client, [
        { table: this.table, columns: this.columns.all },
      ])
    }
    this.#foreignKeys = introspection.foreignKeys
    this.#uniqueKeys = introspection.uniqueKeys
    this.#wholeKeys = introspection.wholeKeys
    this.#constraints = introspection.constraints ?? new Map()
    this.#readOnly = readOnlyOf(this, introspection)
    this.#checkMarkingColumns()
    this.#checkKeyKind()
    this.filters.load()
    this.#fillSortable()
    this.#checkGenerated()
    this.#keyComes = this.#keyIsGiven()
    this.#isLoaded = true
  }

  #checkVirtualFields() {
    const columns = this.virtualFields.filter((name) => this.columns.find(name))
    if (columns.length > 0) {
      throw new ValueError(
        `${this.name}: virtualFields names ${listed(columns)}, which the model has as a column; what it holds needs no virtual field`
      )
    }
  }

  /** A column of the wrong type would break every delete, or hide every item. */
  #checkMarkingColumns() {
    const expected: Array<[string, Column | undefined, string[]]> = [
      ['isDeletedColumn', this.softDelete?.flag, ['boolean', 'integer']],
      ['deletedAtColumn', this.softDelete?.timestamp, ['datetime', 'date']],
      ['updatedAtColumn', this.updatedAt, ['datetime', 'date']],
    ]
    for (const [option, column, kinds] of expected) {
      if (column && !kinds.includes(column.kind)) {
        throw new ValueError(
          `${this.name}: ${option} is '${column.apiName}', whose type is ${column.kind}; it must be ${kinds.join(' or ')}`
        )
      }
    }
  }

  /** A derived schema leaves out generated columns. */
  #checkGenerated() {
    for (const operation of ['create', 'update'] as const) {
      const named = this.#schemas[operation]?.fields ?? []
      const columns = named.map(({ input }) => this.columns.find(input))
      const generated = columns.flatMap((column) => (column?.generated ? [column.apiName] : []))
      if (generated.length > 0) {
        throw new ValueError(
          `${this.name}: ${operation}Schema names ${listed(generated)}, which the database works out itself; leave it out`
        )
      }
    }
  }

  /**
   * Created on first use, as many models are never written; a derived schema has no errors to report at
   * the start.
   */
  #bodySchema(operation: 'create' | 'update'): BodySchema {
    if (!this.#isLoaded) this.#notLoaded()
    /* A value that is hidden, and so null to the caller, must not be overwritten by null. */
    const columns = this.columns.all.map((one, index) =>
      one.hidden ? one : this.base.columns.all[index]
    )
    const schema =
      this.#schemas[operation] ??
      new CompiledSchema(
        deriveSchema(operation, {
          columns,
          managed: this.#managedAttributes(),
          keyIsGiven: this.#keyComes,
        }),
        `${operation}Schema`,
        this.name
      )
    const isDerived = this.#schemas[operation] === undefined
    const find = (name: string) => columns[this.columns.all.indexOf(this.columns.find(name)!)]
    const writing = this.projection && ((name: string) => this.#writing(operation, name))
    return new BodySchema(schema, find, operation === 'update', isDerived, writing)
  }

  /** A field that is shown is accepted in a body, as sending its stored value is not a write. */
  #writing(operation: 'create' | 'update', name: string): 'offered' | 'withheld' | 'unknown' {
    if (this.projection!.hidden.has(name)) return 'unknown'
    if (this.projection!.writing(operation, name) !== 'none') return 'offered'
    return 'withheld'
  }

  #managedAttributes(): Set<string> {
    const managed = [this.softDelete?.flag, this.softDelete?.timestamp, this.updatedAt]
    return new Set(managed.flatMap((column) => (column ? [column.attribute] : [])))
  }

  /**
   * True if the body must contain the key: a composite one, and one that the database does not generate
   * and the model does not assign.
   */
  #keyIsGiven(): boolean {
    if (this.key.isComposite) return true
    if (this.generatedKey) return false
    const hooks = this.model.$hooks
    return !(
      this.key.columns[0].hasDefault ||
      this.model.selfAssignPrimaryKey ||
      hooks.has('before:create') ||
      hooks.has('before:save')
    )
  }

  /** The kind of the keys that the engine generates; undefined if it generates none */
  get generatedKey(): KeyKind | undefined {
    return this.#options.key
  }

  #checkKeyKind() {
    const kind = this.#options.key
    if (kind === undefined) return
    const [column] = this.key.columns
    if (!KEY_KINDS.includes(kind)) {
      throw new ValueError(`${this.name}: key is ${shown(kind)}, and must be ${listed(KEY_KINDS)}`)
    }
    if (this.key.isComposite || !column.isText || (kind === 'ulid' && column.kind === 'uuid')) {
      throw new ValueError(
        `${this.name}: key is '${kind}', which needs a primary key of one column that can hold it; ${column.name} is ${this.key.isComposite ? 'one of several' : column.sqlType}`
      )
    }
  }

  #fillSortable() {
    const sortable = this.sortable as Map<string, Column>
    for (const column of this.fields) {
      if (column.kind !== 'json' && column.kind !== 'binary') sortable.set(column.apiName, column)
    }
  }

  #keyOf(): Key {
    const columns = this.columns.all.filter((column) => column.isPrimary)
    if (columns.length === 0) {
      throw new ValueError(
        `${this.name}: the model has no primary key; mark its column with @column({ isPrimary: true })`
      )
    }
    return new Key(columns, this.table)
  }

  /** Needed even with the option `session`: the introspection uses this connection. [P15] */
  #checkConnection() {
    const name = this.model.connection ?? db.primaryConnectionName
    if (!db.manager.has(name)) {
      throw new RuntimeError(
        `${this.name}: there is no database connection "${name}"; config/database.ts has ${listed(db.manager.connections.keys())}`
      )
    }
  }

  #compile(option: string, schema: ObjectSchema | undefined): CompiledSchema | undefined {
    if (schema === undefined) return undefined
    const compiled = new CompiledSchema(schema, option, this.name)
    if (option === 'deleteSchema') return compiled

    const unknown = compiled.fields
      .map((field) => field.input)
      .filter((name) => !this.columns.find(name) && !this.virtualFields.includes(name))
    if (unknown.length > 0) {
      throw new ValueError(
        `${this.name}: ${option} does not match the model: ${listed(unknown)} is not a column; columns are ${listed(this.columns.all.map((column) => column.apiName))}. A field that is not a column must be in virtualFields`
      )
    }
    return compiled
  }

  #selectedFields(schema: ObjectSchema | undefined): Map<string, SchemaField> | undefined {
    if (schema === undefined) return undefined
    const compiled = new CompiledSchema(schema, 'selectSchema', this.name)
    const computed = [...this.model.$computedDefinitions.keys()]
    const selected = new Map<string, SchemaField>()
    for (const field of compiled.fields) {
      const { input } = field
      const column = this.columns.find(input)
      if (column && !column.hidden) selected.set(column.apiName, field)
      else if (computed.includes(input)) selected.set(input, field)
      else {
        throw new ValueError(
          `${this.name}: selectSchema names '${input}', which is ${column ? 'a hidden column' : 'no column'}; what can be shown is ${listed([...this.columns.visible.map((one) => one.apiName), ...computed])}`
        )
      }
    }
    return selected
  }

  #computedProperties(): Map<string, string> {
    const computed = new Map<string, string>()
    for (const [attribute, { serializeAs }] of this.model.$computedDefinitions) {
      if (
        serializeAs !== null &&
        (this.selected?.has(attribute) ?? true) &&
        this.#shows(serializeAs)
      ) {
        computed.set(attribute, serializeAs)
      }
    }
    return computed
  }

  /** It may be made of any column, so that it goes with the first that is hidden. */
  #shows(computed: string): boolean {
    if (!this.projection) return true
    const { hidden, mixed } = this.projection
    return !this.hidesColumns && !hidden.has(computed) && !mixed.has(computed)
  }

  /** The columns whose schema accepts a file. [B17] */
  get fileColumns(): Column[] {
    const fields = [this.#schemas.create, this.#schemas.update].flatMap((one) => one?.fields ?? [])
    const files = fields.filter(({ type }) => type === 'multipartFile')
    return files.flatMap(({ input }) => this.columns.find(input) ?? [])
  }

  #notLoaded(): never {
    throw new RuntimeError(
      `Nothing is known yet of the table of ${this.name}: await resources.load() first`
    )
  }
}

/** The known resources of the application. */
export const knownResources = new KnownResources<Resource>((model) => Resource.fromDecorator(model))

/** Application code and anonymous actors have no roles. */
function isGoverned({ kind }: Actor): boolean {
  return kind !== 'system' && kind !== 'none'
}

function lucidModel(model: unknown): LucidModel {
  const isModel = typeof model === 'function' && '$addColumn' in model && 'boot' in model
  if (!isModel) {
    const name = typeof model === 'function' ? model.name : String(model)
    throw new TypeError(
      `${name} is not a Lucid model: it must extend BaseModel of @adonisjs/lucid/orm`
    )
  }
  const lucid = model as unknown as LucidModel
  lucid.boot()
  return lucid
}
