import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import { connectionNameOf } from '#base/database/with_connection'
import type { Dialect } from '#base/database/dialect'
import { dialectOf } from '#base/database/dialects'
import { referencesTo, type OnDelete } from '#base/database/references_to'
import { incomingReferences, type IncomingReference } from '../../resource/incoming_references.js'
import type { KeyValue } from '#base/columns/key'
import type { Resource } from '../../resource/resource.js'
import { joined, type Sql } from '#base/sql/sql'

/** Maximum depth to which foreign keys are followed, as a table can refer to itself. */
const DEEPEST = 6

/* Maximum number of paths through the foreign keys; usual schemas have far fewer. */
const MOST_PATHS = 60

/* Maximum number of records with composite keys, because databases limit the number of alternatives in a condition. */
const MOST_COMPOSITE = 200

/** Rows are counted up to this number. */
export const MOST_COUNTED = 1000

/* Maximum number of keys per effect, including those of records that the user is not allowed to see */
const KEYS_READ = 50

/**
 * Effect of a deletion on the rows of a table: they are also deleted, lose the reference, block the deletion, or are
 * left with a broken reference if no foreign key exists.
 */
type Effect = OnDelete | 'leave'

/** Columns of a table that refer to another. */
interface ReferringColumns {
  /** Undefined for a table without a known model */
  resource: Resource | undefined
  /** Column names in the database */
  columns: readonly string[]
}

interface DeletionEffect {
  effect: Effect
  table: string
  /** Resource of the table; undefined for a table without a known model */
  resource: Resource | undefined
  /** Number of rows, at most `MOST_COUNTED` */
  count: number
  /** True if there are more rows than `count` */
  isMore: boolean
  /** Keys of the first rows, if the model is known */
  keys: KeyValue[]
  /** All columns that link the rows to the deleted records, including columns of the tables in between */
  ties: ReferringColumns[]
}

interface Options {
  client: QueryClientContract
  /** Resources of the known models */
  resources: Iterable<Resource>
}

interface Group {
  effect: Effect
  table: string
  resource: Resource | undefined
  conditions: Sql[]
  ties: ReferringColumns[]
}

/**
 * Returns the effects of permanently deleting records, by the foreign keys of the database and the relations of the
 * model. Permissions are not checked: the caller shows only what the user is allowed to see.
 */
export async function deletionEffects(
  resource: Resource,
  keys: readonly KeyValue[],
  { client, resources }: Options
): Promise<{ effects: DeletionEffect[]; isPartial: boolean }> {
  const dialect = dialectOf(client)
  const looked = resource.key.isComposite ? keys.slice(0, MOST_COMPOSITE) : keys
  if (looked.length === 0) return { effects: [], isPartial: false }
  const roots = resource.key.isAny(looked, dialect)
  const own = [...resources].filter(
    ({ model }) => connectionNameOf(model) === connectionNameOf(resource.model)
  )
  const groups = await groupsOf(resource.base, roots, { client, dialect, own })
  const gone = new Map<string, Sql[]>([[resource.table, [roots]]])
  for (const { effect, table, conditions } of groups) {
    if (effect === 'cascade') gone.set(table, [...(gone.get(table) ?? []), ...conditions])
  }
  const effects: DeletionEffect[] = []
  for (const group of groups) {
    const isRoot = group.table === resource.table
    const except = group.effect === 'cascade' ? (isRoot ? [roots] : []) : gone.get(group.table)
    const found = await readGroup(group, except ?? [], client, dialect)
    if (found.count > 0) effects.push(found)
  }
  return { effects, isPartial: looked.length < keys.length }
}

/** Deleted rows whose referring rows still have to be found. */
interface Waiting {
  table: string
  resource: Resource | undefined
  where: Sql
  depth: number
  ties: ReferringColumns[]
}

interface Known {
  client: QueryClientContract
  dialect: Dialect
  own: readonly Resource[]
}

/** Follows the foreign keys from table to table, without reading a row. */
async function groupsOf(root: Resource, roots: Sql, known: Known): Promise<Group[]> {
  const groups = new Map<string, Group>()
  const waiting: Waiting[] = [
    { table: root.table, resource: root, where: roots, depth: 0, ties: [] },
  ]
  let paths = 0
  for (let next = waiting.shift(); next; next = waiting.shift()) {
    for (const reference of await referencesOf(next, root, known)) {
      if (++paths > MOST_PATHS) return [...groups.values()]
      const table = inSchemaOf(root.table, reference.table)
      const where = referring(reference, next.table, next.where, known.dialect)
      const resource = known.own.find((one) => one.table === table)
      const id = `${reference.onDelete} ${table}`
      const group = groups.get(id) ?? {
        effect: reference.onDelete,
        table,
        resource,
        conditions: [],
        ties: [],
      }
      groups.set(id, group)
      const ties = [...next.ties, { resource, columns: reference.columns }]
      group.conditions.push(where)
      group.ties.push(...ties)
      const goesOn = reference.onDelete === 'cascade' && next.depth < DEEPEST
      if (goesOn) waiting.push({ table, resource, where, depth: next.depth + 1, ties })
    }
  }
  return [...groups.values()]
}

type AnyReference = Omit<IncomingReference, 'onDelete'> & { onDelete: Effect }

async function referencesOf(
  { table, resource, depth }: Waiting,
  root: Resource,
  { client, own }: Known
): Promise<AnyReference[]> {
  if (!resource) {
    const found = await referencesTo(client, table)
    return found.filter(({ references }) => references.length > 0)
  }
  const bound = await incomingReferences(resource, client)
  if (depth > 0 || resource !== root) return [...bound]
  return [...bound, ...unboundReferences(resource, bound, own)]
}

/** Returns a condition for the rows of a table that refer to those rows of another table that meet a condition. */
function referring(
  { columns, references }: Pick<AnyReference, 'columns' | 'references'>,
  table: string,
  where: Sql,
  dialect: Dialect
): Sql {
  const list = (names: readonly string[]) => names.map((name) => dialect.quote(name)).join(', ')
  const names = columns.length > 1 ? `(${list(columns)})` : list(columns)
  return {
    sql: `${names} in (select ${list(references)} from ${dialect.quote(table)} where ${where.sql})`,
    bindings: where.bindings,
  }
}

async function readGroup(
  { conditions, ...group }: Group,
  except: readonly Sql[],
  client: QueryClientContract,
  dialect: Dialect
): Promise<DeletionEffect> {
  const meeting = joined(conditions, 'or')
  /* A plain `not` would exclude rows whose reference is null. */
  const left = except.map(({ sql, bindings }) => ({
    sql: `case when ${sql} then 1 else 0 end = 0`,
    bindings,
  }))
  const where = joined([meeting, ...left], 'and')
  const count = await countUpTo(MOST_COUNTED + 1, group.table, where, client, dialect)
  const { resource } = group
  const keys: KeyValue[] = []
  if (resource && count > 0) {
    if (!resource.isLoaded) await resource.load(client)
    const order = resource.key.columns.map((column) => dialect.nameOf(resource.table, column))
    const selection = { where: [where], order, limit: KEYS_READ }
    const records = await resource.base.reader.records(client, selection)
    keys.push(...records.map((record) => resource.key.of(record)))
  }
  return { ...group, count: Math.min(count, MOST_COUNTED), isMore: count > MOST_COUNTED, keys }
}

async function countUpTo(
  most: number,
  table: string,
  where: Sql,
  client: QueryClientContract,
  dialect: Dialect
): Promise<number> {
  const rows = `select 1 as one from ${dialect.quote(table)} where ${where.sql} limit ${most}`
  const query = client
    .query()
    .from(client.raw(`(${rows}) as found`, where.bindings as any[]) as any)
    .count('* as count')
  const [{ count }] = await query
  return Number(count)
}

/** Adds the schema of another table to a table name without a schema. */
function inSchemaOf(table: string, name: string): string {
  const schema = table.includes('.') ? table.slice(0, table.lastIndexOf('.') + 1) : ''
  return `${schema}${name}`
}

/** A `hasMany` or `hasOne` relation without a foreign key in the database. */
interface UnboundReference extends Omit<IncomingReference, 'onDelete'> {
  onDelete: 'leave'
}

/**
 * Returns the relations to known models that have no foreign key in the database, which therefore leaves the related
 * records unchanged.
 *
 * @param bound  the foreign keys of the database
 */
function unboundReferences(
  { model, columns }: Resource,
  bound: readonly IncomingReference[],
  known: readonly Resource[]
): UnboundReference[] {
  const found: UnboundReference[] = []
  for (const relation of model.$relationsDefinitions.values()) {
    if (relation.type !== 'hasMany' && relation.type !== 'hasOne') continue
    relation.boot()
    const related = relation.relatedModel()
    const other = known.find((one) => one.model === related)
    const column = other?.columns.find(relation.foreignKey)?.name
    const target = columns.find(relation.localKey)?.name
    if (!other || column === undefined || target === undefined) continue
    const table = other.table.split('.').at(-1)!
    const isKnown = [...bound, ...found].some(
      (one) => one.table === table && one.columns.length === 1 && one.columns[0] === column
    )
    if (!isKnown) found.push({ table, columns: [column], references: [target], onDelete: 'leave' })
  }
  return found
}
