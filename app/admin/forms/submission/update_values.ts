import type { LucidRow } from '@adonisjs/lucid/types/model'
import { type BodyField, CompiledSchema, now, toApi } from '#crud/internals'
import type { ModelView } from '../../model_view.js'

/*
 * Values that the update of a record takes beside those that were sent.
 */

/** A schema may require the key, which no form changes. [A7] */
export function keyIn({ resource }: ModelView, record: LucidRow): Record<string, unknown> {
  return storedValues(
    record,
    resource.updateBody.fields.filter(({ column }) => column?.isPrimary)
  )
}

/**
 * Values of the fields that the schema requires and that were not sent.
 *
 * @param sent  by API name
 */
export function requiredIn(
  { resource }: ModelView,
  record: LucidRow,
  sent: Record<string, unknown>
): Record<string, unknown> {
  return storedValues(
    record,
    resource.updateBody.fields.filter(
      ({ apiName, required }) => required && !Object.hasOwn(sent, apiName)
    )
  )
}

/** Current time, for fields of the internal schema. [S44] */
export function internalValues({ name, options, resource }: ModelView): Record<string, unknown> {
  const schema = options.updateInternalSchema
  if (!schema) return {}
  const stamps = new CompiledSchema(schema, 'updateInternalSchema', name).fields
    .map(({ input }) => resource.columns.find(input)!)
    .filter((column) => [column.apiName, column.name].includes('updated_at'))
  return Object.fromEntries(stamps.map((column) => [column.attribute, now(column)]))
}

function storedValues(record: LucidRow, fields: readonly BodyField[]): Record<string, unknown> {
  const attributes = record as unknown as Record<string, unknown>
  return Object.fromEntries(
    fields.flatMap(({ apiName, column }) =>
      column ? [[apiName, toApi(column, attributes[column.attribute])]] : []
    )
  )
}
