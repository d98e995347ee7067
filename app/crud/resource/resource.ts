import db from '@adonisjs/lucid/services/db'
import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import type { LucidModel } from '@adonisjs/lucid/types/model'
import { dialectOf } from '../database/dialects.js'
import type { ForeignKey, TableFacts } from '../database/introspection.js'
import { crudOptionsOf } from '../decorator.js'
import { listed, RuntimeError, ValueError } from '../errors.js'
import type { CrudRouterOptions, Policy, Scope } from '../types.js'
import { BodySchema } from '../schema/body_schema.js'
import type { Column } from './column.js'
import { ColumnSet } from './column_set.js'
import { deriveSchema } from '../schema/derived_schema.js'
import { Filters } from './filters.js'
import { inclusionsOf, type Inclusion } from './included_relation.js'
import { Key } from './key.js'
import { storeWholeSeconds } from '../lucid/lucid_defaults.js'
import { looksAtRecord } from './looks_at_record.js'
import { CompiledSchema, type ObjectSchema, type SchemaField } from '../schema/object_schema.js'
import type { Fields } from '../request/fields.js'
import { Reader } from '../sql/reader.js'
import { SoftDelete } from './soft_delete.js'

/**
 * All that is known of a model: what its class and its options say, checked once when it is made,
 * and what the database adds, once `load()` is through. From then on it never changes, and everything
 * else asks it instead of Lucid. [P2, P15]
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
  /** Whether the policy decides about each record, and not only about the model [P14] */
  readonly judgesRecords: boolean
  readonly scope: Scope | undefined

  /** The columns that answers hold, in declaration order [A2] */
  readonly fields: readonly Column[]
  /** The computed properties that answers hold, name on the wire by attribute */
  readonly computed: ReadonlyMap<string, string>
  /** Both of them: what an answer holds where nothing narrows it */
  readonly answer: Fields
  /** The relations that answers can embed, by name on the wire [Q3] */
  readonly includes: ReadonlyMap<string, Inclusion>
  /** What `selectSchema` says of them, by the name that answers have [P4] */
  readonly selected: ReadonlyMap<string, SchemaField> | undefined
  /** What a list can be sorted by, by wire name [A15] */
  readonly sortable: ReadonlyMap<string, Column> = new Map()

  /** What reads its items */
  readonly reader = new Reader(this)

  readonly #schemas: { create?: CompiledSchema; update?: CompiledSchema }
  #createBody: BodySchema | undefined
  #updateBody: BodySchema | undefined
  #keyComes = false
  #foreignKeys: ForeignKey[] = []
  #constraints: ReadonlyMap<string, readonly string[]> = new Map()
  #loading: Promise<void> | undefined
  #isLoaded = false

  /**
   * @throws TypeError     when the model is no Lucid model
   * @throws ValueError    when an option can't be right
   * @throws RuntimeError  when the model's database connection does not exist
   */
  constructor(options: CrudRouterOptions) {
    this.model = lucidModel(options.model)
    this.name = this.model.name
    this.table = this.model.table
    this.tags = [...(options.tags ?? [this.name])]
    storeWholeSeconds(this.model)
    this.columns = new ColumnSet(this.model)
    this.key = this.#keyOf()
    this.virtualFields = [...(options.virtualFields ?? [])]
    this.#checkVirtualFields()
    this.policy = options.policy
    this.judgesRecords = this.policy !== undefined && looksAtRecord(this.policy)
    this.scope = options.scope
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

    this.#schemas = {
      create: this.#compile('createSchema', options.createSchema),
      update: this.#compile('updateSchema', options.updateSchema),
    }
    this.#compile('deleteSchema', options.deleteSchema)
    this.selected = this.#selectedFields(options.selectSchema)
    this.fields = this.columns.visible.filter((column) => this.selected?.has(column.wire) ?? true)
    this.computed = this.#computedProperties()
    this.answer = { columns: this.fields, computed: this.computed }
    this.includes = inclusionsOf(
      this.model,
      options.include ?? [],
      this.columns,
      [...this.columns.all.map(({ wire }) => wire), ...this.computed.values()],
      (model) => new Resource({ ...crudOptionsOf(model), model })
    )
    this.filters = new Filters(options.filterConfig, this.columns, this.name)
  }

  get isLoaded(): boolean {
    return this.#isLoaded
  }

  /**
   * What reads the body of a create.
   */
  get createBody(): BodySchema {
    this.#createBody ??= this.#bodySchema('create')
    return this.#createBody
  }

  /**
   * What reads the body of an update.
   */
  get updateBody(): BodySchema {
    this.#updateBody ??= this.#bodySchema('update')
    return this.#updateBody
  }

  get foreignKeys(): readonly ForeignKey[] {
    return this.#foreignKeys
  }

  /** The columns of the table's constraints, where the database tells of a fault only which one it was */
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
   * Reads what the database knows of the table. Once is enough; a failure is tried again. [P15]
   *
   * @param facts  what was read already; null if there is no such table
   * @throws RuntimeError  when the table or a column is missing
   * @throws ValueError    when an option does not go with the columns' types
   */
  async load(
    client: QueryClientContract = this.client(),
    facts?: TableFacts | null
  ): Promise<void> {
    if (this.#isLoaded) return
    /* Another's load may be waiting for the very connection that this transaction holds. */
    if (client.isTransaction) return await this.#load(client, facts)
    this.#loading ??= this.#load(client, facts).finally(() => (this.#loading = undefined))
    await this.#loading
  }

  async #load(client: QueryClientContract, given: TableFacts | null | undefined): Promise<void> {
    if (this.#isLoaded) return
    const facts =
      given === undefined ? await dialectOf(client).readTable(client, this.table) : given
    if (!facts) {
      throw new RuntimeError(
        `${this.name}: the table ${this.table} does not exist on the connection "${client.connectionName}". Create it with: node ace migrate`
      )
    }
    const missing = this.columns.all.filter((column) => !facts.columns.has(column.name))
    if (missing.length > 0) {
      throw new RuntimeError(
        `${this.name}: the table ${this.table} has no column ${listed(missing.map((column) => column.name))}; it has ${listed(facts.columns.keys())}. Pending migrations run with: node ace migrate`
      )
    }

    this.columns.all.forEach((column) => column.learn(facts.columns.get(column.name)!))
    this.#foreignKeys = facts.foreignKeys
    this.#constraints = facts.constraints ?? new Map()
    this.#checkMarkingColumns()
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
          `${this.name}: ${option} is '${column.wire}', whose type is ${column.kind}; it must be ${kinds.join(' or ')}`
        )
      }
    }
  }

  /** A derived schema leaves out what the database works out. */
  #checkGenerated() {
    for (const operation of ['create', 'update'] as const) {
      const named = this.#schemas[operation]?.fields ?? []
      const columns = named.map(({ input }) => this.columns.find(input))
      const generated = columns.flatMap((column) => (column?.generated ? [column.wire] : []))
      if (generated.length > 0) {
        throw new ValueError(
          `${this.name}: ${operation}Schema names ${listed(generated)}, which the database works out itself; leave it out`
        )
      }
    }
  }

  /** Of many models nobody ever writes; a schema that is derived for one has no faults to tell at the start. */
  #bodySchema(operation: 'create' | 'update'): BodySchema {
    if (!this.#isLoaded) this.#notLoaded()
    const schema =
      this.#schemas[operation] ??
      new CompiledSchema(
        deriveSchema(operation, {
          columns: this.columns.all,
          managed: this.#managedAttributes(),
          keyIsGiven: this.#keyComes,
        }),
        `${operation}Schema`,
        this.name
      )
    const isDerived = this.#schemas[operation] === undefined
    const find = (name: string) => this.columns.find(name)
    return new BodySchema(schema, find, operation === 'update', isDerived)
  }

  #managedAttributes(): Set<string> {
    const managed = [this.softDelete?.flag, this.softDelete?.timestamp, this.updatedAt]
    return new Set(managed.flatMap((column) => (column ? [column.attribute] : [])))
  }

  /**
   * A key that nobody else makes must come with the body: composite ones, and those that neither the
   * database counts up or fills in, nor the model assigns.
   */
  #keyIsGiven(): boolean {
    if (this.key.isComposite) return true
    const hooks = this.model.$hooks
    return !(
      this.key.columns[0].hasDefault ||
      this.model.selfAssignPrimaryKey ||
      hooks.has('before:create') ||
      hooks.has('before:save')
    )
  }

  #fillSortable() {
    const sortable = this.sortable as Map<string, Column>
    for (const column of this.fields) {
      if (column.kind !== 'json' && column.kind !== 'binary') sortable.set(column.wire, column)
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

  /** Needed even where the option `session` names another one: the table is looked at here. [P15] */
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
        `${this.name}: ${option} does not match the model: ${listed(unknown)} is no column; columns are ${listed(this.columns.all.map((column) => column.wire))}. A field that is no column must stand in virtualFields`
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
      if (column && !column.hidden) selected.set(column.wire, field)
      else if (computed.includes(input)) selected.set(input, field)
      else {
        throw new ValueError(
          `${this.name}: selectSchema names '${input}', which is ${column ? 'a hidden column' : 'no column'}; what can be shown is ${listed([...this.columns.visible.map((one) => one.wire), ...computed])}`
        )
      }
    }
    return selected
  }

  #computedProperties(): Map<string, string> {
    const computed = new Map<string, string>()
    for (const [attribute, { serializeAs }] of this.model.$computedDefinitions) {
      if (serializeAs !== null && (this.selected?.has(attribute) ?? true)) {
        computed.set(attribute, serializeAs)
      }
    }
    return computed
  }

  /**
   * The columns that a schema takes a file for. [B17]
   */
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
