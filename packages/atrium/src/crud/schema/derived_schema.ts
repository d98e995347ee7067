import vine from '@vinejs/vine'
import { crudConfig } from '../settings.js'
import { characterCount } from '#base/values/text'
import type { Column } from '#base/columns/column'
import type { ObjectSchema } from '#base/schema/object_schema'

/** The columns of a derived schema, without those that other code sets. */
export interface DerivedFrom {
  columns: readonly Column[]
  /** Soft-delete and update columns, by attribute */
  managed: ReadonlySet<string>
  /** True if the body must contain the key, because it is not generated */
  keyIsGiven: boolean
}

/** Counts characters as the database does; VineJS's rule counts UTF-16 units, which are two for an emoji. */
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
 * Derives the schema of a table: with the type and length of each column, nullable like the column, and required
 * without another source of a value.
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
  /* Hidden columns are set by application code, or by a custom schema that contains them. */
  if (column.hidden) return false
  if (column.automatic || from.managed.has(column.attribute)) return false
  return !['created_at', 'updated_at'].includes(column.name)
}

/**
 * Returns the schema of a field. Optional fields of VineJS drop null, so body_schema.ts distinguishes absent fields
 * from null.
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
      /* The column validates the items, with a better error message. */
      return column.element ? vine.array(vine.any().nullable()) : vine.any()
    case 'text':
      return vine
        .string()
        .use(maxCharacters({ most: column.maxLength ?? crudConfig().limits.text }))
    default:
      /* Dates, times and base64 have formats that the column validates, with a better error message. */
      return vine.string()
  }
}
