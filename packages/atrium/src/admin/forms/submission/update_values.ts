import type { LucidRow } from '@adonisjs/lucid/types/model'
import type { BodyField } from '#base/schema/body_schema'
import { CompiledSchema } from '#base/schema/object_schema'
import { now } from '#base/columns/soft_delete'
import { attributeValue } from '#base/values/to_api'
import type { StoredValues } from '#base/schema/parse_update'
import type { ModelView } from '../../model_view.js'

/*
 * Values that the update of a record takes in addition to those that were sent.
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

/**
 * The values of the schema's fields before an update, of which invalid ones may stay.
 *
 * @param isUnchanged  whether a field came back as it was shown
 */
export function valuesBefore(
  { resource }: ModelView,
  record: LucidRow,
  isUnchanged: (name: string) => boolean
): StoredValues {
  return { stored: () => storedValues(record, resource.updateBody.fields), isUnchanged }
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

/** Values of fields in the form of the API, by API name. */
export function storedValues(
  record: LucidRow,
  fields: readonly BodyField[]
): Record<string, unknown> {
  const attributes = record as unknown as Record<string, unknown>
  return Object.fromEntries(
    fields.flatMap(({ apiName, column }) =>
      column ? [[apiName, attributeValue(column, attributes)]] : []
    )
  )
}
