import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import { isSameValue } from '#base/values/to_api'
import { fieldsReadOnly } from '#base/http/access_problems'
import type { Column } from '#base/columns/column'
import { mayWrite, unionOf, type Projection } from '../../resource/projection.js'
import type { Resource } from '../../resource/resource.js'
import type { CallOptions } from '../call_options.js'
import { identityOf } from '#base/columns/key'
import { reachedOf, type Reach } from '../authorize.js'

type Values = Record<string, unknown>

interface Sent {
  /** Name under which the value was sent */
  key: string
  apiName: string
  column: Column | undefined
}

/**
 * Returns the values of a create that the actor is allowed to write. Fields that only some grants make writable are
 * checked once the record exists: see `checkCreated`.
 *
 * @param values  values by attribute name
 * @returns the values without hidden fields, which are treated as unknown
 * @throws Problem 403  for a field that is read-only
 */
export function createdValues(resource: Resource, values: Values): Values {
  const { projection } = resource
  if (!projection) return values
  const sent = sentFields(resource, values)
  const unwritable = sent.filter(({ apiName }) => projection.writing('create', apiName) === 'none')
  const locked = unwritable.filter(({ apiName }) => !projection.hidden.has(apiName))
  if (locked.length > 0) throw fieldsReadOnly(locked.map(({ apiName }) => apiName))
  return without(values, unwritable)
}

/**
 * Checks the fields that were written to a new record against the grants that include the record.
 *
 * @throws Problem 403  for a field that none of these grants makes writable
 */
export async function checkCreated(
  resource: Resource,
  values: Values,
  record: LucidRow,
  client: QueryClientContract,
  options: CallOptions
): Promise<void> {
  const { projection } = resource
  if (!projection) return
  const disputed = sentFields(resource, values).filter(
    ({ apiName }) => projection.writing('create', apiName) === 'some'
  )
  if (disputed.length === 0) return
  const reaches = disputed.map(({ apiName }) => writingReach(projection, 'create', apiName))
  const permitted = await permittedOf(resource, record, reaches, client, options)
  const refused = disputed.filter((_, index) => !permitted[index])
  if (refused.length > 0) throw fieldsReadOnly(refused.map(({ apiName }) => apiName))
}

/**
 * Returns the values of an update that the actor is allowed to write to this record. A hidden field is treated as
 * unknown; sending the stored value of a read-only field is not a write.
 *
 * @param values  values by attribute name
 * @throws Problem 403  for a read-only field that would be changed
 */
export async function updatedValues(
  resource: Resource,
  values: Values,
  record: LucidRow,
  client: QueryClientContract,
  options: CallOptions
): Promise<Values> {
  const { projection } = resource
  if (!projection) return values
  const sent = sentFields(resource, values)
  const disputed = sent.filter(
    ({ apiName }) =>
      projection.writing('update', apiName) === 'some' || projection.mixed.has(apiName)
  )
  const verdicts = await verdictsOf(resource, disputed, record, client, options)
  const isWritten = ({ apiName }: Sent) =>
    verdicts.get(apiName)?.isWritten ?? projection.writing('update', apiName) === 'all'
  const isShown = ({ apiName }: Sent) =>
    verdicts.get(apiName)?.isShown ?? !projection.hidden.has(apiName)

  const unwritable = sent.filter((field) => !isWritten(field))
  const locked = unwritable.filter((field) => isShown(field) && !isAsStored(field, values, record))
  if (locked.length > 0) throw fieldsReadOnly(locked.map(({ apiName }) => apiName))
  return without(values, unwritable)
}

/**
 * Returns the fields of the update body that some grants make writable, but none for this record. Runs no statement if
 * all grants agree.
 *
 * @returns API names of the fields
 */
export async function readOnlyOn(
  resource: Resource,
  record: LucidRow,
  client: QueryClientContract,
  options: CallOptions
): Promise<ReadonlySet<string>> {
  const { projection } = resource
  if (!projection) return new Set()
  const disputed = resource.updateBody.fields
    .filter(
      ({ apiName }) =>
        projection.writing('update', apiName) === 'some' || projection.mixed.has(apiName)
    )
    .map(({ apiName, column, input }) => ({ key: column?.attribute ?? input, apiName, column }))
  const verdicts = await verdictsOf(resource, disputed, record, client, options)
  return new Set([...verdicts].flatMap(([name, { isWritten }]) => (isWritten ? [] : [name])))
}

async function verdictsOf(
  resource: Resource,
  disputed: readonly Sent[],
  record: LucidRow,
  client: QueryClientContract,
  options: CallOptions
) {
  const verdicts = new Map<string, { isWritten: boolean; isShown: boolean }>()
  if (disputed.length === 0) return verdicts
  const projection = resource.projection!
  const reaches = disputed.flatMap(({ apiName }): Reach[] => [
    writingReach(projection, 'update', apiName),
    projection.mixed.get(apiName) ?? null,
  ])
  const permitted = await permittedOf(resource, record, reaches, client, options)
  disputed.forEach(({ apiName }, index) => {
    const isShown = permitted[index * 2 + 1] ?? false
    verdicts.set(apiName, { isWritten: (permitted[index * 2] ?? false) && isShown, isShown })
  })
  return verdicts
}

/**
 * Returns the columns of a record that the actor is not allowed to write, including hidden ones.
 *
 * @param record  the stored record
 */
export async function unwritableColumns(
  resource: Resource,
  operation: 'create' | 'update',
  columns: readonly Column[],
  record: LucidRow,
  client: QueryClientContract,
  options: CallOptions
): Promise<Column[]> {
  return await unwritableFields(resource, operation, columns, record, client, options)
}

/** Returns the fields that the actor is not allowed to write, also for fields that are not columns. */
export async function unwritableFields<Field extends { apiName: string }>(
  resource: Resource,
  operation: 'create' | 'update',
  fields: readonly Field[],
  record: LucidRow,
  client: QueryClientContract,
  options: CallOptions
): Promise<Field[]> {
  const { projection } = resource
  if (!projection || fields.length === 0) return []
  const reaches = fields.flatMap(({ apiName }): Reach[] => [
    projection.hidden.has(apiName) ? [] : writingReach(projection, operation, apiName),
    projection.hidden.has(apiName) ? [] : (projection.mixed.get(apiName) ?? null),
  ])
  const permitted = await permittedOf(resource, record, reaches, client, options)
  return fields.filter((_, index) => !(permitted[index * 2] && permitted[index * 2 + 1]))
}

function writingReach(projection: Projection, operation: 'create' | 'update', apiName: string) {
  return unionOf(projection.grantsFor(operation).filter((grant) => mayWrite(grant, apiName)))
}

async function permittedOf(
  resource: Resource,
  record: LucidRow,
  reaches: readonly Reach[],
  client: QueryClientContract,
  options: CallOptions
): Promise<readonly boolean[]> {
  const key = resource.key.of(record)
  const reached = await reachedOf(resource, [key], reaches, client, options)
  return reached.get(identityOf(key)) ?? reaches.map(() => false)
}

/** Returns the sent fields with their columns. Lucid also accepts column names in place of attribute names. */
function sentFields({ columns }: Resource, values: Values): Sent[] {
  return Object.keys(values).map((key) => {
    const column = columns.all.find(({ attribute, name }) => attribute === key || name === key)
    return { key, apiName: column?.apiName ?? key, column }
  })
}

function isAsStored({ column, key }: Sent, values: Values, record: LucidRow): boolean {
  if (!column) return false
  const { attribute } = column
  return isSameValue(column, { [attribute]: values[key] }, record.$attributes)
}

function without(values: Values, fields: readonly Sent[]): Values {
  if (fields.length === 0) return values
  const keys = new Set(fields.map(({ key }) => key))
  return Object.fromEntries(Object.entries(values).filter(([key]) => !keys.has(key)))
}

/** Returns a copy of the values without the given names. */
export function omit(
  values: Record<string, unknown>,
  names: readonly string[]
): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([name]) => !names.includes(name)))
}

/**
 * Returns a copy of the values without those of the key. Lucid also accepts column names in place of attribute names.
 */
export function withoutKeys(
  { key }: Resource,
  values: Record<string, unknown>
): Record<string, unknown> {
  return omit(
    values,
    key.columns.flatMap((column) => [column.attribute, column.name])
  )
}
