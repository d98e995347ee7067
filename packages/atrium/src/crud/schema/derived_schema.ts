import vine from '@vinejs/vine'
import { crudConfig } from '../settings.js'
import { characterCount } from '#base/values/text'
import type { Column } from '#base/columns/column'
import type { ObjectSchema } from '#base/schema/object_schema'

/** The columns that a derived schema leaves out because other code sets them. [P7] */
export interface DerivedFrom {
  columns: readonly Column[]
  /** Soft-delete and update columns, by attribute */
  managed: ReadonlySet<string>
  /** True if the body must contain the key, as database and model generate none */
  keyIsGiven: boolean
}

/** Counts characters as the database does; VineJS's own rule counts UTF-16 units, two for an emoji. */
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
 * Derives the schema that a careful developer would write for the table: the right type, the length,
 * nullable as the column is, required if nothing else provides a value. [P7]
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
  /* Hidden columns are set by own code, or by a schema of one's own that names them. */
  if (column.hidden) return false
  if (column.automatic || from.managed.has(column.attribute)) return false
  return !['created_at', 'updated_at'].includes(column.name)
}

/** VineJS's optional fields drop null; body_schema.ts tells absent from null. */
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
      /* The column checks the items, with a better message. */
      return column.element ? vine.array(vine.any().nullable()) : vine.any()
    case 'text':
      return vine
        .string()
        .use(maxCharacters({ most: column.maxLength ?? crudConfig().limits.text }))
    default:
      /* Days, moments, times and base64 have a format that the column checks, with a better message. */
      return vine.string()
  }
}
