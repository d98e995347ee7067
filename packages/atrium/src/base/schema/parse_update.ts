import { Problem } from '../errors.js'
import { writeJson } from '../values/json.js'
import type { BodySchema } from './body_schema.js'

type Values = Record<string, unknown>

const NONE: ReadonlySet<string> = new Set()

/** The body of an update, and the record that it is about. */
export interface SentUpdate extends StoredValues {
  /** By API name */
  body: Values
  /** Passed to the schema's rules as `field.meta` */
  meta: Values
  /** True to refuse fields that the schema does not have */
  isStrict?: boolean
  /** API names of fields that are not required */
  optional?: ReadonlySet<string>
}

/** The values that a record has before an update. */
export interface StoredValues {
  /** By API name; null if the caller can't see the record. Only called if the body is invalid */
  stored: () => Promise<Values | null> | Values | null
  /** True if a field was sent with the value of the record. Default: compares the values */
  isUnchanged?: (name: string) => boolean
}

/**
 * Parses the body of an update. Values that the schema refuses, and that the record has already, are left out: other
 * programs store what no schema accepts, and the other fields must be writable. A value that is invalid only together
 * with what was changed stays an error.
 *
 * @returns the values by attribute name
 * @throws Problem 422  with every other field that fails
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

/** Those of the fields that were sent unchanged, and that the record by itself has with an invalid value. */
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

/** The API names of the fields that a problem is about. */
function fieldsIn(error: unknown): Set<string> {
  const errors = error instanceof Problem && error.status === 422 ? (error.errors ?? []) : []
  return new Set(errors.map(({ field }) => field.split('.', 1)[0]))
}
