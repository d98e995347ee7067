import vine from '@vinejs/vine'
import { crudConfig } from '../settings.js'
import { characterCount } from '../values/text.js'
import type { Column } from '../resource/column.js'
import type { ObjectSchema } from './object_schema.js'

/** What the derivation leaves out, because something else sets it. [P7] */
export interface DerivedFrom {
  columns: readonly Column[]
  /** Soft-delete and update columns, by attribute */
  managed: ReadonlySet<string>
  /** Whether the key must come from the body, as neither database nor model makes one */
  keyIsGiven: boolean
}

/**
 * Counts characters as the database does; VineJS's own rule counts UTF-16 units, two for an emoji.
 */
const maxCharacters = vine.createRule<{ most: number }>(
  (value, { most }, field) => {
    if (typeof value === 'string' && value.length > most && characterCount(value) > most) {
      field.report(
        `The {{ field }} field must not be greater than ${most} characters`,
        'maxLength',
        field,
        { max: most }
      )
    }
  },
  { name: 'maxCharacters', toJSONSchema: (schema, { most }) => void (schema.maxLength = most) }
)

/**
 * The schema that a careful person would write for the table by hand: the right type, the length,
 * null where null is allowed, required where nothing else gives a value. [P7]
 */
export function deriveSchema(operation: 'create' | 'update', from: DerivedFrom): ObjectSchema {
  const fields: Record<string, any> = {}
  for (const column of from.columns) {
    if (!isWritable(column, operation, from)) continue
    let field = fieldFor(column)
    if (column.nullable) field = field.nullable()
    const mayBeAbsent = operation === 'update' || column.nullable || column.hasDefault
    fields[column.attribute] = mayBeAbsent ? field.optional() : field
  }
  return vine.object(fields)
}

function isWritable(column: Column, operation: string, from: DerivedFrom): boolean {
  if (column.generated) return false
  if (column.isPrimary) return operation === 'create' && from.keyIsGiven
  /* What no answer shows is set by code of one's own, or by a schema of one's own that names it. */
  if (column.hidden) return false
  if (column.automatic || from.managed.has(column.attribute)) return false
  return !['created_at', 'updated_at'].includes(column.name)
}

/**
 * VineJS's optional fields drop null; which of absent and null was sent is looked at elsewhere.
 */
function fieldFor(column: Column): any {
  if (column.choices) return vine.enum(column.choices)
  switch (column.kind) {
    case 'integer':
      return vine.number().withoutDecimals()
    case 'number':
      return vine.number()
    case 'boolean':
      return vine.boolean()
    case 'uuid':
      return vine.string().uuid()
    case 'json':
      return vine.any()
    case 'text':
      return vine
        .string()
        .use(maxCharacters({ most: column.maxLength ?? crudConfig().limits.text }))
    default:
      /* Days, moments, times and base64 have the form that their column wants, which says it best. */
      return vine.string()
  }
}
