import string from '@adonisjs/core/helpers/string'
import type { ColumnIntrospection, TableIntrospection } from '#base/database/introspection'
import { isDecimalType, kindOf, type ColumnKind } from '#base/columns/column_kind'
import { apiName, isLucidMember } from './model_names.js'
import type { Field } from './field.js'
import { typeCalled, type FieldType } from './field_types.js'

/** A column of an existing table, as a field of the model to generate. */
export interface TableColumn extends Field {
  kind: ColumnKind
}

/* Names that Lucid or Knex would split into table and column, parse as an alias, or could not quote */
const UNQUOTABLE = /[."`\\]|\sas\s/i

const SECRET = /(^|_)(password|passwd|pwd|passphrase|secret|salt|api_key|private_key|token)(_|$)/

/** True if no model can have a table or column with this name. */
export function isUnquotable(name: string): boolean {
  return UNQUOTABLE.test(name)
}

/**
 * Returns the columns of a table with names and types for a model.
 *
 * @param key  names of the columns that identify a row
 */
export function tableColumns(
  { columns, foreignKeys }: TableIntrospection,
  key: readonly string[]
): TableColumn[] {
  const taken = new Set<string>()
  const references = new Set(foreignKeys.flatMap(({ columns: own }) => own))
  return [...columns]
    .filter(([name]) => !isUnquotable(name))
    .map(([column, introspection], index) => {
      const attribute = freeName(attributeOf(column, index), taken)
      const snake = /^[a-z][a-z0-9_]*$/.test(column) ? column : string.snakeCase(attribute)
      const name = apiName(snake, attribute)
      for (const one of [attribute, name]) taken.add(one)
      const isPrimary = key.includes(column)
      const kind = valueKind(introspection)
      const [type, parameters] = typeOf(introspection, kind)
      const isFiltered = !(isPrimary && key.length === 1)
      const filters = references.has(column) || isPrimary ? [''] : type.filters
      return {
        name,
        column,
        attribute,
        kind,
        type: { ...type, filters: isFiltered ? filters : [] },
        parameters,
        nullable: introspection.nullable && !isPrimary,
        unique: introspection.unique,
        index: false,
        default: undefined,
        isPrimary,
        isHidden: !isPrimary && SECRET.test(snake),
        automatic: automatic(snake, kind),
        relation: undefined,
      }
    })
}

/** Returns the first of `name`, `name2`, `name3`, ... that is not in use. */
export function freeName(name: string, taken: ReadonlySet<string>): string {
  let free = name
  for (let number = 2; taken.has(free); number++) free = `${name}${number}`
  return free
}

/** Returns the name in ASCII letters and digits, with spaces in place of other characters. */
export function latin(name: string): string {
  return name
    .normalize('NFKD')
    .replaceAll('ß', 'ss')
    .replace(/\p{Mark}/gu, '')
    .replace(/[^A-Za-z0-9]+/g, ' ')
    .trim()
}

/** @param place  position of the column, used for a name without ASCII letters */
function attributeOf(column: string, place: number): string {
  const name = latin(column)
  if (!/[a-z]/i.test(name)) return `column${place + 1}`
  const attribute = string.camelCase(/^\d/.test(name) ? `column ${name}` : name)
  return isLucidMember(attribute) ? `${attribute}Column` : attribute
}

function automatic(name: string, kind: ColumnKind): Field['automatic'] {
  if (kind !== 'datetime') return undefined
  if (name === 'created_at') return 'create'
  return name === 'updated_at' ? 'update' : undefined
}

/** Returns the value type in the API */
export function valueKind({ kind, sqlType }: ColumnIntrospection): ColumnKind {
  return kind ?? kindOf(sqlType)
}

const BYTES: FieldType = { ...typeCalled('json'), name: 'bytes', typescript: () => 'Buffer' }

const ARRAY: FieldType = {
  ...typeCalled('json'),
  name: 'array',
  typescript: ([item]) => `${item}[]`,
}

/** A decimal with more digits than a JavaScript number preserves has text values where necessary. */
const LONG_DECIMAL: FieldType = { ...typeCalled('decimal'), typescript: () => 'number | string' }

function typeOf(
  column: ColumnIntrospection,
  kind: ColumnKind
): [type: FieldType, parameters: readonly string[]] {
  const { choices, element, maxLength, sqlType } = column
  if (element) return [ARRAY, [itemType(element.kind)]]
  if (choices && choices.length > 0 && kind === 'text') return [typeCalled('enum'), choices]
  if (kind === 'binary') return [BYTES, []]
  if (kind === 'text') return [typeCalled(maxLength === null ? 'text' : 'string'), []]
  if (kind === 'integer') return [typeCalled(/big|int8/.test(sqlType) ? 'bigint' : 'integer'), []]
  if (kind !== 'number') return [typeCalled(kind), []]
  if (!isDecimalType(sqlType)) return [typeCalled('float'), []]
  const digits = column.decimalRange?.most.replace('.', '').length ?? Infinity
  return [digits > 15 ? LONG_DECIMAL : typeCalled('decimal'), []]
}

/** Returns the TypeScript type of array items. PostgreSQL's driver returns items of other kinds as text. */
function itemType(kind: ColumnKind): string {
  if (kind === 'integer' || kind === 'number') return 'number'
  if (kind === 'boolean') return 'boolean'
  return kind === 'text' || kind === 'uuid' ? 'string' : 'unknown'
}
