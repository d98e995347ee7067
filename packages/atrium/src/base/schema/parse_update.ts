import { Problem } from '../errors.js'
import { writeJson } from '../values/json.js'
import type { BodySchema } from './body_schema.js'

type Values = Record<string, unknown>

const NONE: ReadonlySet<string> = new Set()

/** The body of an update, and the record to update. */
export interface SentUpdate extends StoredValues {
  /** Body by API name */
  body: Values
  /** Passed to the schema's rules as `field.meta` */
  meta: Values
  /** True to refuse fields that the schema does not have */
  isStrict?: boolean
  /** API names of fields that are not required */
  optional?: ReadonlySet<string>
}

/** Values of a record before an update. */
export interface StoredValues {
  /** Returns values by API name; null if the caller can't see the record. Only called if the body is invalid */
  stored: () => Promise<Values | null> | Values | null
  /** True if a field was sent with the stored value. Default: compares the values */
  isUnchanged?: (name: string) => boolean
}

/**
 * Parses the body of an update. Invalid values that the record already has are ignored, because other programs can
 * store values that the schema does not accept, and the other fields have to remain writable. A value that is invalid
 * only together with a changed value remains an error.
 *
 * @returns the values by attribute name
 * @throws Problem 422  with every other invalid field
 */
export async function parseUpdate(schema: BodySchema, update: SentUpdate): Promise<Values> {
  const { body, meta, isStrict, optional = NONE } = update
  try {
    return await schema.parse(body, meta, isStrict, optional)
  } catch (error) {
    const stored = await storedFields(schema, update, fieldsIn(error))
    if (stored.size === 0) throw error
    const rest = Object.entries(body).filter(([name]) => !stored.has(name))
    return await schema.parse(Object.fromEntries(rest), meta, isStrict, optional.union(stored))
  }
}

/** Returns those fields that were sent unchanged, and whose stored values are invalid by themselves. */
async function storedFields(
  schema: BodySchema,
  { body, meta, stored, isUnchanged }: SentUpdate,
  names: ReadonlySet<string>
): Promise<ReadonlySet<string>> {
  const values = names.size > 0 ? await stored() : null
  if (!values) return NONE
  const isSame = isUnchanged ?? ((name) => writeJson(body[name]) === writeJson(values[name]))
  const unchanged = [...names].filter((name) => {
    return Object.hasOwn(body, name) && Object.hasOwn(values, name) && isSame(name)
  })
  if (unchanged.length === 0) return NONE
  const invalid = await invalidFields(schema, values, meta)
  return invalid.intersection(new Set(unchanged))
}

async function invalidFields(schema: BodySchema, values: Values, meta: Values) {
  try {
    await schema.parse(values, meta)
    return new Set<string>()
  } catch (error) {
    return fieldsIn(error)
  }
}

/** Returns the API names of the fields of a problem. */
function fieldsIn(error: unknown): Set<string> {
  const errors = error instanceof Problem && error.status === 422 ? (error.errors ?? []) : []
  return new Set(errors.map(({ field }) => field.split('.', 1)[0]))
}
