import type { LucidRow } from '@adonisjs/lucid/types/model'
import {
  type BodyField,
  type BodySchema,
  type StoredValues,
  parseUpdate,
} from '#base/schema/body_schema'
import { CompiledSchema } from '#base/schema/object_schema'
import { now } from '#base/columns/soft_delete'
import { attributeValue } from '#base/values/to_api'
import { Problem } from '#crud'
import type { ModelView } from '../../views/model_view.js'
import type { Uploads } from '../files/uploads.js'
import { InvalidForm } from '../errors.js'
import type { Submission } from './submission.js'

/** Returns the value of the key, which a schema may require although forms can't change it. */
export function keyIn({ resource }: ModelView, record: LucidRow): Record<string, unknown> {
  return storedValues(
    record,
    resource.updateBody.fields.filter(({ column }) => column?.isPrimary)
  )
}

/**
 * Returns the values of fields that the schema requires and that were not submitted.
 *
 * @param sent  submitted values by API name
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
 * Returns the values of the schema's fields before an update. Invalid ones are accepted if they are unchanged.
 *
 * @param isUnchanged  returns true if a field was submitted as it was shown
 */
export function valuesBefore(
  { resource }: ModelView,
  record: LucidRow,
  isUnchanged: (name: string) => boolean
): StoredValues {
  return { stored: () => storedValues(record, resource.updateBody.fields), isUnchanged }
}

/** Returns the values that `updateInternalSchema` sets: the current time for `updated_at`; none without this schema. */
export function internalValues({ name, options, resource }: ModelView): Record<string, unknown> {
  const schema = options.updateInternalSchema
  if (!schema) return {}
  const stamps = new CompiledSchema(schema, 'updateInternalSchema', name).fields
    .map(({ input }) => resource.columns.find(input)!)
    .filter((column) => [column.apiName, column.name].includes('updated_at'))
  return Object.fromEntries(stamps.map((column) => [column.attribute, now(column)]))
}

/** Returns values of fields in the format of the API, by API name. */
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

/**
 * Converts a submission to values of a model, with the same schema as the endpoints. Stores files for which the schema
 * expects a key. Fields in `unseen` are not required.
 *
 * @param meta      metadata for the schema's rules
 * @param uploads   files of the submission; null if the form has none
 * @param isStrict  true to reject fields that are not in the schema
 * @param record    values before an update; invalid ones that are unchanged are left out
 * @returns values by attribute name; virtual fields by their name
 * @throws InvalidForm
 */
export async function validateSubmission(
  body: BodySchema,
  { values, errors: violations, unseen }: Submission,
  uploads: Uploads | null,
  meta: Record<string, unknown>,
  { isStrict = false, record }: { isStrict?: boolean; record?: StoredValues } = {}
): Promise<Record<string, unknown>> {
  let parsed: Record<string, unknown> = {}
  const errors = [...violations, ...((await uploads?.refuse(false)) ?? [])]
  try {
    const sent = { ...values, ...(await uploads?.forSchema()) }
    parsed = record
      ? await parseUpdate(body, { body: sent, meta, isStrict, optional: unseen, ...record })
      : await body.parse(sent, meta, isStrict, unseen)
  } catch (error) {
    if (!(error instanceof Problem) || error.status !== 422) throw error
    /* The schema reports fields that could not be parsed as missing; their first error is enough. */
    const known = new Set(errors.map(({ field }) => field))
    errors.push(...(error.errors ?? []).filter(({ field }) => !known.has(field)))
  }
  if (errors.length === 0) errors.push(...((await uploads?.refuse(true)) ?? []))
  if (errors.length > 0) throw new InvalidForm(errors)
  await uploads?.storeIn(parsed)
  return parsed
}

/**
 * Validates changes of some fields of a record, together with the stored values of other fields that the schema
 * requires.
 *
 * @param changes   submission with only the values and lists of files of the changed fields
 * @param isStrict  true to reject fields that are not in the schema
 * @param uploads   files of the changes
 * @returns values of the changed fields
 * @throws InvalidForm
 */
export async function validateChanges(
  view: ModelView,
  record: LucidRow,
  changes: Submission,
  { isStrict = false, uploads = null }: { isStrict?: boolean; uploads?: Uploads | null } = {}
): Promise<Record<string, unknown>> {
  const { key, updateBody } = view.resource
  const changed = { ...Object.fromEntries(changes.fileLists), ...changes.values }
  const required = requiredIn(view, record, changed)
  const values = { ...keyIn(view, record), ...required, ...changes.values }
  const parsed = await validateSubmission(
    updateBody,
    { ...changes, values },
    uploads,
    { operation: 'update', key: key.of(record) },
    { isStrict, record: valuesBefore(view, record, (name) => !Object.hasOwn(changed, name)) }
  )
  const attributes = updateBody.fields
    .filter(({ apiName }) => Object.hasOwn(changed, apiName))
    .map(({ column, input }) => column?.attribute ?? input)
  return Object.fromEntries(Object.entries(parsed).filter(([name]) => attributes.includes(name)))
}
