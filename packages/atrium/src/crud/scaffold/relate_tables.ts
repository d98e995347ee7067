import string from '@adonisjs/core/helpers/string'
import type { ForeignKey, TableIntrospection } from '#base/database/introspection'
import { valueKind } from './table_column.js'
import type { TableModel } from './table_model.js'
import { TableRelation, unlessKey, type RelatedModel } from './table_relation.js'

type Tables = ReadonlyMap<string, TableIntrospection>

/**
 * Adds relations for the foreign keys to the models, in both directions.
 *
 * @param tables  all tables of the database
 * @param find    returns the model of a table, either an existing model or one to generate
 * @returns sentences about foreign keys without a relation
 */
export function relateTables(
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
export function isPivot({ columns, foreignKeys, wholeKeys, isView }: TableIntrospection): boolean {
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
