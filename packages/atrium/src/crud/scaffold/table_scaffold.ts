import type { ApplicationService } from '@adonisjs/core/types'
import db from '@adonisjs/lucid/services/db'
import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import type { TableIntrospection, ForeignKey } from '#base/database/introspection'
import { listTables, readTables } from '#base/database/read_tables'
import { referencesTo } from '#base/database/references_to'
import { listed, ValueError } from '#base/errors'
import { isExcludedModel } from '../lucid/model_files.js'
import { resources } from '../resource/registry.js'
import { crudConfig } from '../settings.js'
import { applicationModels, type ApplicationModel } from './application_model.js'
import { renderStubs, writeFiles } from './generated_files.js'
import { isUnquotable, valueKind } from './table_column.js'
import { TableModel } from './table_model.js'
import string from '@adonisjs/core/helpers/string'
import { TableRelation, unlessKey, type RelatedModel } from './table_relation.js'

type Tables = ReadonlyMap<string, TableIntrospection>

/** Tables of the engine, of Lucid, and of packages that store internal data in the database */
const INTERNAL =
  /^(?:admin_\w+|adonis_schema(?:_versions)?|idempotency_keys|seed_runs|rate_limits|cache|sessions|auth_access_tokens|remember_me_tokens)$/

/** Writes models for existing tables. Writes all of them or none, and does not change existing files. */
export class TableScaffold {
  /** Sentences about what the written models do not contain */
  readonly notes: string[] = []

  readonly #app: ApplicationService
  readonly #client: QueryClientContract = db.connection()

  constructor(app: ApplicationService) {
    this.#app = app
  }

  /**
   * Writes the models of tables.
   *
   * @param names  names of the tables; undefined: all tables without a model
   * @returns paths of the files, relative to the project's root
   * @throws ValueError  when there is no such table, it already has a model, or a file exists
   */
  async write(names: readonly string[] | undefined): Promise<string[]> {
    const existing = await applicationModels(this.#app)
    const tables = await this.#read(names)
    const wanted = names
      ? await this.#checked(names, existing, tables)
      : this.#missing(existing, tables)
    const models = await this.#modelsOf(wanted, existing, tables)
    const excluded = models.find(({ modelFile }) => isExcludedModel(modelFile))
    if (excluded) {
      throw new ValueError(
        `app/models/${excluded.modelFile} would not be loaded, as excludedModels of config/crud.ts names it. Remove the demo first: node ace demo:remove`
      )
    }
    const all = [...models, ...existing]
    const find = (table: string) =>
      all.find((model) => model.table.toLowerCase() === table.toLowerCase())
    this.notes.push(...relateTables(models, tables, find))
    const stubs = models.map((model) => ['table', model.stubData] as const)
    return await writeFiles(this.#app, await renderStubs(this.#app, stubs))
  }

  /** Reads all tables; if names are given, only these and the tables that refer to them. */
  async #read(names: readonly string[] | undefined): Promise<Tables> {
    if (!names) {
      const all = await listTables(this.#client)
      for (const name of all.filter(isUnquotable)) {
        this.notes.push(`Lucid can't have a table of the name ${name}.`)
      }
      return await this.#introspect(all.filter((name) => !isUnquotable(name)))
    }
    const tables = await this.#introspect(names)
    const referring = await Promise.all(
      [...tables.keys()].map((table) => referencesTo(this.#client, table))
    )
    const others = new Set(referring.flat().map(({ table }) => table))
    return new Map([...tables, ...(await this.#introspect([...others]))])
  }

  async #introspect(names: readonly string[]): Promise<Tables> {
    return (await readTables(this.#client, names)) ?? new Map()
  }

  async #checked(
    names: readonly string[],
    existing: readonly ApplicationModel[],
    tables: Tables
  ): Promise<string[]> {
    for (const name of names) {
      const model = existing.find(({ table }) => table === name)
      if (!tables.has(name)) {
        const all = await listTables(this.#client)
        const others = all.filter((table) => !isInternal(table))
        throw new ValueError(`Unknown table ${name}; tables are ${listed(others)}`)
      }
      if (isInternal(name)) throw new ValueError(`${name} is a table of the engine or of a package`)
      if (model) throw new ValueError(`The table ${name} has the model ${model.model} already`)
    }
    return [...new Set(names)]
  }

  #missing(existing: readonly ApplicationModel[], tables: Tables): string[] {
    const wanted = [...tables].filter(
      ([name, introspection]) =>
        !isInternal(name) &&
        !isPivot(introspection) &&
        !existing.some(({ table }) => table === name)
    )
    if (wanted.length === 0) throw new ValueError('Every table of the database has a model already')
    return wanted.map(([name]) => name)
  }

  async #modelsOf(
    names: readonly string[],
    existing: readonly ApplicationModel[],
    tables: Tables
  ): Promise<TableModel[]> {
    const { prefix } = crudConfig()
    const taken = {
      models: new Set(existing.map(({ model }) => model)),
      paths: new Set(resources.endpoints().map(({ path }) => path.slice(prefix.length))),
    }
    const models: TableModel[] = []
    for (const [place, name] of names.entries()) {
      const introspection = tables.get(name)!
      const key = await this.#keyOf(name, introspection)
      const left = [...introspection.columns.keys()].filter(isUnquotable)
      if (left.length > 0) {
        this.notes.push(`${name}: Lucid can't have columns of these names: ${listed(left)}.`)
      }
      if (key.length === 0)
        this.notes.push(`${name}: no column can address a row, so it has no model.`)
      else {
        const lines = await shortTexts(this.#client, name, introspection)
        models.push(new TableModel(this.#app, name, introspection, { key, place, taken, lines }))
      }
    }
    return models
  }

  /** Returns the primary key, another unique key, or for a view the first columns whose values differ in all rows. */
  async #keyOf(table: string, introspection: TableIntrospection): Promise<readonly string[]> {
    const { columns, primaryKey, wholeKeys } = introspection
    if (primaryKey.length > 0) return primaryKey
    const unique = wholeKeys
      .filter((key) => key.length > 0 && key.every((name) => !columns.get(name)?.nullable))
      .toSorted((one, other) => one.length - other.length)
    if (unique.length > 0) return unique[0]

    const candidates = [...columns]
      .filter(([name, column]) => KEY_KINDS.has(valueKind(column)) && !isUnquotable(name))
      .map(([name]) => name)
    const ids = candidates.filter((name) => /id$/i.test(name))
    const singles = [...new Set([...ids, ...candidates])].map((name) => [name])
    for (const key of [...singles, ids, candidates]) {
      if (key.length > 0 && (await this.#areDistinct(table, key))) return key
    }
    if (candidates.length > 0) {
      this.notes.push(
        `${table}: no columns have different values in all rows; choose those with isPrimary by hand.`
      )
    }
    return singles[0] ?? []
  }

  async #areDistinct(table: string, columns: readonly string[]): Promise<boolean> {
    const same = await this.#client
      .from(table)
      .select(this.#client.raw('1'))
      .groupBy(...columns)
      .havingRaw('count(*) > 1')
      .limit(1)
    return same.length === 0
  }
}

const KEY_KINDS: ReadonlySet<string> = new Set(['text', 'uuid', 'integer'])

function isInternal(table: string): boolean {
  return INTERNAL.test(table)
}

/* Number of rows whose texts are measured */
const ROWS = 1000

/* Maximum number of characters in a single-line field */
const LONGEST_LINE = 255

const LONG_TEXTS =
  /(?:^|_)(?:text|body|content|contents|description|notes?|comments?|remarks?|messages?|summary|abstract|bio|biography|details|html|markdown|article|review|instructions|story|plot|synopsis|terms)$/

/**
 * Returns columns whose texts have no limit by their type, but fit into one line: the name does not suggest a long
 * text, and the first rows contain none. In SQLite and PostgreSQL, most texts have no limit.
 */
async function shortTexts(
  client: QueryClientContract,
  table: string,
  { columns, isView }: TableIntrospection
): Promise<ReadonlySet<string>> {
  const names = [...columns].flatMap(([name, column]) => {
    const isUnlimited = column.maxLength === null && /text|char|clob/.test(column.sqlType)
    const isText = valueKind(column) === 'text' && !column.choices && !column.element
    const isLong = LONG_TEXTS.test(string.snakeCase(name))
    return isText && isUnlimited && !isLong && !isUnquotable(name) ? name : []
  })
  if (isView || names.length === 0) return new Set()
  const tests = names.map((name, index) =>
    client.raw(
      `max(case when length(??) > ${LONGEST_LINE} or ?? like '%\n%' then 1 else 0 end) as ??`,
      [name, name, `long_${index}`]
    )
  )
  const [found] = await client
    .from((rows) => void rows.from(table).select(names).limit(ROWS).as('measured'))
    .select(...tests)
  return new Set(names.filter((_, index) => Number(found[`long_${index}`] ?? 0) === 0))
}

/**
 * Adds relations for the foreign keys to the models, in both directions.
 *
 * @param tables  all tables of the database
 * @param find    returns the model of a table, either an existing model or one to generate
 * @returns sentences about foreign keys without a relation
 */
function relateTables(
  models: readonly TableModel[],
  tables: Tables,
  find: (table: string) => RelatedModel | undefined
): string[] {
  const notes = models.flatMap((model) => relateToParents(model, find))
  for (const [table, introspection] of tables) {
    const child = find(table)
    for (const key of foreignKeysOf(introspection)) {
      const parent = models.find((model) => isSame(model.table, key.table))
      if (child && parent) relateToChildren(parent, child, key, introspection)
    }
    if (!child && isPivot(introspection)) relateAcross(models, table, introspection, find)
  }
  return notes
}

/** True for a table that only links two other tables, optionally with timestamps. */
function isPivot({ columns, foreignKeys, wholeKeys, isView }: TableIntrospection): boolean {
  if (isView || foreignKeys.length !== 2) return false
  const [one, other] = foreignKeys
  const own = new Set(foreignKeys.flatMap((key) => key.columns))
  const isKey = wholeKeys.some((key) => key.length === 2 && key.every((name) => own.has(name)))
  const isFilled = [...columns].every(
    ([name, column]) =>
      own.has(name) || (valueKind(column) === 'datetime' && (column.hasDefault || column.nullable))
  )
  return isKey && own.size === 2 && !isSame(one.table, other.table) && isFilled
}

/** Returns the foreign keys in column order, because the order of the keys differs between databases. */
function foreignKeysOf({ columns, foreignKeys }: TableIntrospection): ForeignKey[] {
  const places = [...columns.keys()]
  const place = (key: ForeignKey) => places.indexOf(key.columns[0])
  return foreignKeys.toSorted((one, other) => place(one) - place(other))
}

function relateToParents(
  model: TableModel,
  find: (table: string) => RelatedModel | undefined
): string[] {
  const notes: string[] = []
  for (const { columns, references, table } of foreignKeysOf(model.introspection)) {
    const which = `${model.table}.${columns.join(', ')} refers to ${table}`
    const related = find(table)
    const foreignKey = model.attributeOf(columns[0])
    const localKey = related?.attributeOf(references[0] ?? '')
    if (columns.length > 1)
      notes.push(`${which} by several columns, for which Lucid has no relation.`)
    else if (!related)
      notes.push(`${which}, which has no model: ${model.model} has no relation to it.`)
    else if (foreignKey && localKey) {
      const name = parentName(model, foreignKey, related)
      const options = { foreignKey, localKey: unlessKey(related, localKey) }
      model.relations.push(new TableRelation(name, 'belongsTo', related, options))
    }
  }
  return notes
}

/** Returns the name of a relation: `customerId` -> `customer`, `shipVia` -> `shipper`. */
function parentName(model: TableModel, foreignKey: string, related: RelatedModel): string {
  const [, role] = /^(.+)Id$/.exec(foreignKey) ?? []
  const usual = string.camelCase(related.model)
  const names = related.table === model.table ? [] : [usual]
  return model.relationName(...(role ? [role] : names), `${foreignKey}${related.model}`)
}

function relateToChildren(
  parent: TableModel,
  child: RelatedModel,
  { columns, references }: ForeignKey,
  { columns: all, foreignKeys, primaryKey }: TableIntrospection
) {
  const [column] = columns
  const foreignKey = child.attributeOf(column)
  const localKey = parent.attributeOf(references[0] ?? '')
  if (columns.length > 1 || !foreignKey || !localKey) return

  const isOne = all.get(column)?.unique || (primaryKey.length === 1 && primaryKey[0] === column)
  const noun = string.camelCase(isOne ? child.model : string.plural(child.model))
  const role = foreignKey.replace(/Id$/, '')
  const alike = foreignKeys.filter(({ table }) => isSame(table, parent.table))
  const isUsual = alike.length === 1 || role === string.camelCase(parent.model)
  const byRole = `${noun}By${string.pascalCase(role)}`
  const name = parent.relationName(...(isUsual ? [noun, byRole] : [byRole]))
  const options = { foreignKey, localKey: unlessKey(parent, localKey) }
  parent.relations.push(new TableRelation(name, isOne ? 'hasOne' : 'hasMany', child, options))
}

function relateAcross(
  models: readonly TableModel[],
  pivotTable: string,
  { foreignKeys: [one, other] }: TableIntrospection,
  find: (table: string) => RelatedModel | undefined
) {
  for (const [own, far] of [
    [one, other],
    [other, one],
  ]) {
    const model = models.find(({ table }) => isSame(table, own.table))
    const related = find(far.table)
    const localKey = model?.attributeOf(own.references[0])
    const relatedKey = related?.attributeOf(far.references[0])
    if (!model || !related || !localKey || !relatedKey) continue
    const name = string.camelCase(string.plural(related.model))
    const options = {
      pivotTable,
      pivotForeignKey: own.columns[0],
      pivotRelatedForeignKey: far.columns[0],
      /* Lucid would use the primary keys, which can be other columns than those of the foreign keys. */
      localKey,
      relatedKey,
    }
    const free = model.relationName(name, `${name}By${string.pascalCase(pivotTable)}`)
    model.relations.push(new TableRelation(free, 'manyToMany', related, options))
  }
}

/** True for the same table. SQLite and Windows ignore case in table names. */
function isSame(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase()
}
