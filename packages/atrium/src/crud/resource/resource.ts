import db from '@adonisjs/lucid/services/db'
import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import type { LucidModel } from '@adonisjs/lucid/types/model'
import type { ForeignKey, TableIntrospection } from '#base/database/introspection'
import { RuntimeError } from '#base/errors'
import type { Actor, ColumnSettings } from '../types.js'
import type { BodySchema } from '#base/schema/body_schema'
import type { Column } from '#base/columns/column'
import { ColumnSet } from '#base/columns/column_set'
import { CustomOperators } from './custom_operators.js'
import { Filters } from './filters.js'
import { includedRelationsOf, type RelationTo } from './included_relation.js'
import type { Key } from '#base/columns/key'
import type { KeyKind } from '#base/values/new_key'
import {
  policyTakesRecord,
  checkRelatedFilters,
  checkVirtualFields,
  bootedModel,
  keyOfColumns,
  checkAgainstTable,
  checkConnection,
  checkShowDeleted,
  type PolicyOf,
  type ResourceOptionsOf,
} from './resource_options.js'
import { CompiledSchema, type SchemaField } from '#base/schema/object_schema'
import type { Fields } from '#base/columns/fields'
import { Reader } from '../sql/reader.js'
import { type Scope, permissions, type GrantedOperation, isGoverned } from './permissions.js'
import { limitedColumns, type LimitedColumn } from '#base/columns/transitions'
import { SoftDelete } from '#base/columns/soft_delete'
import { KnownResources } from './known_resources.js'
import { isRead } from '../operations/operation.js'
import { type ReadOnly, UNKNOWN_TABLE, type ModelTable, readModelTable } from './model_table.js'
import { comparedWithoutValue, guardedScope } from '../sql/apply_scope.js'
import { narrowedBy } from '../sql/roles_to_sql.js'
import { type Projection, Projections } from './projection.js'
import { CRUD_OPTIONS, storedOptions } from '#base/stored_options'
import {
  mustGiveKey,
  fileColumnsOf,
  type GivenSchemas,
  shownComputed,
  bodySchemaOf,
  compileBody,
  selectedFields,
} from './model_schemas.js'

export type { Scope } from './permissions.js'

/** A relation whose items a model's responses can include. */
export type IncludedRelation = RelationTo<Resource>

/** Decides whether an actor is allowed to perform an action. See `PolicyOf`. */
export type Policy = PolicyOf<Resource>

/** Options of `@Crud` for the model itself. */
export type ResourceOptions = ResourceOptionsOf<Resource>

/**
 * Description of a model: its class and options, checked once when it is created, and the introspection of its table,
 * after `load()`. It never changes afterwards. All other code uses it instead of Lucid's definitions.
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
  /** Filter operators of the application */
  readonly operators: CustomOperators
  readonly showDeleted: boolean
  readonly virtualFields: readonly string[]
  readonly policy: Policy | undefined
  /** True if the policy authorizes each record, and not only the model */
  readonly authorizesRecords: boolean
  readonly scope: Scope | undefined

  /** The columns of responses, in declaration order */
  readonly fields: readonly Column[]
  /** The computed properties of responses: attribute -> API name */
  readonly computed: ReadonlyMap<string, string>
  /** All fields of a response without a selection */
  readonly responseFields: Fields
  /** The relations that responses can include, by API name */
  readonly includes: ReadonlyMap<string, IncludedRelation>
  /** The fields of `selectSchema`, by API name */
  readonly selected: ReadonlyMap<string, SchemaField> | undefined
  /** The columns that a list can be sorted by, by API name */
  readonly sortable: ReadonlyMap<string, Column> = new Map()

  /** Reads the resource's items */
  readonly reader = new Reader(this)

  /** Grants that the resource is restricted to, if any */
  readonly projection: Projection | undefined
  /** Columns that are shown on some records only, with the scopes that show them */
  readonly mixedColumns: ReadonlyMap<Column, readonly Scope[]> = new Map()

  readonly #options: ResourceOptions & { model: LucidModel }
  readonly #base: Resource | undefined
  #projections: Projections<Resource> | undefined
  readonly #schemas: GivenSchemas
  #hiddenHere: ReadonlySet<string> | undefined
  #createBody: BodySchema | undefined
  #updateBody: BodySchema | undefined
  #stored: ModelTable = UNKNOWN_TABLE
  #loading: Promise<void> | undefined
  #keyIsGiven = false
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
    this.model = bootedModel(options.model)
    this.name = this.model.name
    this.table = this.model.table
    this.tags = [...(options.tags ?? [this.name])]
    this.operators = base?.operators ?? new CustomOperators(this.model, options.operators)
    this.columns = base
      ? base.columns.project(this.model, projection!.hidden, projection!.mixed)
      : new ColumnSet(this.model)
    this.key = keyOfColumns(this.model, this.columns)
    this.virtualFields = [...(options.virtualFields ?? [])]
    checkVirtualFields(this.name, this.virtualFields, this.columns)
    this.policy = options.policy
    this.authorizesRecords = this.policy !== undefined && policyTakesRecord(this.policy)
    this.scope = base
      ? narrowedBy(base, base.scope, projection!.reach('read'))
      : options.scope && guardedScope(options.scope)
    this.showDeleted = options.showDeleted ?? false
    checkConnection(this.model)

    const { isDeletedColumn, deletedAtColumn, updatedAtColumn } = options
    const flag = this.columns.fromSetting('isDeletedColumn', isDeletedColumn, 'is_deleted')
    const at = this.columns.fromSetting('deletedAtColumn', deletedAtColumn, 'deleted_at')
    this.softDelete = flag || at ? new SoftDelete(this.table, flag, at) : undefined
    checkShowDeleted(this.name, this.showDeleted, this.softDelete)
    this.updatedAt = this.columns.fromSetting('updatedAtColumn', updatedAtColumn, 'updated_at')

    this.#schemas = base
      ? base.#schemas
      : { create: this.#compiled('createSchema'), update: this.#compiled('updateSchema') }
    if (!base && options.deleteSchema) {
      new CompiledSchema(options.deleteSchema, 'deleteSchema', this.name)
    }
    this.selected = base
      ? base.selected
      : selectedFields(this.model, options.selectSchema, this.columns)
    this.fields = this.columns.visible.filter(
      (column) => this.selected?.has(column.apiName) ?? true
    )
    this.computed = shownComputed(this.model, this.selected, (name) => this.#shows(name))
    this.responseFields = { columns: this.fields, computed: this.computed }
    if (base) {
      this.includes = projection!.includesLeft(base.includes)
      this.filters = base.filters.visibleIn(this.columns)
      this.mixedColumns = projection!.mixedColumns(this.columns.all)
      this.#stored = base.#stored
      this.#keyIsGiven = base.#keyIsGiven
      this.#fillSortable()
      this.#isLoaded = true
      return
    }
    this.includes = includedRelationsOf(
      this.model,
      options.include,
      this.columns,
      [...this.columns.all.map(({ apiName }) => apiName), ...this.computed.values()],
      (model) => knownResources.of(model)
    )
    this.filters = new Filters(options.filterConfig, this.columns, this.name, this.operators)
    limitedColumns(this.model, this.columns, options.transitions)
    if (options.filters === 'related') this.filters.openRelations(this.includes.keys())
  }

  /**
   * Returns the column that a scope compares with a value that the actor does not have, so that the scope includes no
   * record; undefined otherwise.
   */
  comparedWithoutValue(scope: Scope, actor: Actor): string | undefined {
    return comparedWithoutValue(scope, this.model.query(), actor)
  }

  /**
   * Returns the resource restricted to the actor's grants: the resource itself for an unrestricted actor, otherwise a
   * cached resource in which hidden columns behave like columns with `serializeAs: null`.
   *
   * @param client  client that loads the resource, if it is not loaded yet
   */
  for(actor: Actor, client?: QueryClientContract): Resource | Promise<Resource> {
    if (this.#base) return this.#base.for(actor, client)
    return permissions() && isGoverned(actor) ? this.#projected(actor, client) : this
  }

  async #projected(actor: Actor, client?: QueryClientContract): Promise<Resource> {
    if (!this.#isLoaded) await this.load(client)
    this.#projections ??= new Projections(
      this,
      (projection) => new Resource(this.#options, { base: this, projection })
    )
    return await this.#projections.for(actor, permissions()!)
  }

  /** The resource without a projection. */
  get base(): Resource {
    return this.#base ?? this
  }

  /** True if the grants allow the operation on at least some records. */
  permits(operation: GrantedOperation): boolean {
    if (this.readOnly && !isRead(operation)) return false
    return this.projection?.permits(operation) ?? true
  }

  /** True if every update sets the column */
  isStamp({ autoUpdate, name }: Column): boolean {
    return autoUpdate || name === (this.updatedAt ?? this.base.updatedAt)?.name
  }

  /** Reason why records cannot be written; null if they can be written, or until the table is known */
  get readOnly(): ReadOnly | null {
    return this.base.#stored.readOnly
  }

  /** True if grants hide a visible column, on all records or on some. */
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

  /**
   * Returns the resource for a model's decorator.
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
    return this.#stored.foreignKeys
  }

  get uniqueKeys(): readonly string[][] {
    return this.#stored.uniqueKeys
  }

  get wholeKeys(): readonly string[][] {
    return this.#stored.wholeKeys
  }

  get constraints(): ReadonlyMap<string, readonly string[]> {
    return this.#stored.constraints
  }

  /** Returns the client of the model's connection. */
  client(): QueryClientContract {
    return db.connection(this.model.connection)
  }

  /**
   * Loads the introspection of the table once; a failed attempt can be repeated.
   *
   * @param introspection  result if it was already read; null for a missing table
   * @throws RuntimeError  when the table or a column is missing
   * @throws ValueError    when an option does not match the columns' types
   */
  async load(
    client: QueryClientContract = this.client(),
    introspection?: TableIntrospection | null
  ): Promise<void> {
    if (this.#isLoaded) return
    /* A concurrent load could be waiting for the connection that this transaction uses. */
    if (client.isTransaction) return await this.#load(client, introspection)
    this.#loading ??= this.#load(client, introspection).finally(() => (this.#loading = undefined))
    await this.#loading
  }

  async #load(
    client: QueryClientContract,
    given: TableIntrospection | null | undefined
  ): Promise<void> {
    if (this.#isLoaded) return
    this.#stored = await readModelTable(this, client, given)
    checkAgainstTable(this, this.generatedKey, this.#schemas)
    this.filters.load()
    checkRelatedFilters(this.model, this.filters.relatedNames)
    this.#fillSortable()
    this.#keyIsGiven = mustGiveKey(this.model, this.key, this.generatedKey)
    this.#isLoaded = true
  }

  /**
   * Creates a body schema on first use, because many models are never written. A derived schema has no errors that
   * would have to be reported at startup.
   */
  #bodySchema(operation: 'create' | 'update'): BodySchema {
    if (!this.#isLoaded) {
      throw new RuntimeError(
        `Nothing is known yet of the table of ${this.name}: await resources.load() first`
      )
    }
    const managed = [this.softDelete?.flag, this.softDelete?.timestamp, this.updatedAt]
    const columns = { columns: this.columns, base: this.base.columns, projection: this.projection }
    return bodySchemaOf(operation, this.name, this.#schemas, columns, {
      managed: new Set(managed.flatMap((column) => (column ? [column.attribute] : []))),
      keyIsGiven: this.#keyIsGiven,
    })
  }

  /**
   * The columns whose changes are limited.
   *
   * @throws ValueError  for an unknown column
   */
  get limitedColumns(): readonly LimitedColumn[] {
    return limitedColumns(this.model, this.columns, this.#options.transitions)
  }

  /** Kind of the keys that the engine generates; undefined if it generates none */
  get generatedKey(): KeyKind | undefined {
    return this.#options.key
  }

  #fillSortable() {
    const sortable = this.sortable as Map<string, Column>
    for (const column of this.fields) {
      if (column.kind !== 'json' && column.kind !== 'binary') sortable.set(column.apiName, column)
    }
  }

  #compiled(option: 'createSchema' | 'updateSchema'): CompiledSchema | undefined {
    const schema = this.#options[option]
    return compileBody(this.name, option, schema, this.columns, this.virtualFields)
  }

  /** True if a computed property is shown. It can depend on any column, so any hidden column hides it. */
  #shows(computed: string): boolean {
    if (!this.projection) return true
    return !this.hidesColumns && !this.projection.conceals(computed)
  }

  /** The columns whose schema accepts a file. */
  get fileColumns(): Column[] {
    return fileColumnsOf(this.#schemas, this.columns)
  }
}

/** The known resources of the application. */
export const knownResources = new KnownResources<Resource>((model) => Resource.fromDecorator(model))
