import { closest } from 'fastest-levenshtein'
import { invalidBody } from '../http/problems.js'
import {
  prepareAsSent,
  prepareFile,
  prepareFiles,
  prepareForSchema,
  type Prepared,
  type Reads,
} from '../values/before_schema.js'
import { FileReference } from '../values/file_keys.js'
import { toAttribute } from '../values/to_attribute.js'
import type { Column } from '../columns/column.js'
import type { CompiledSchema, SchemaField } from './object_schema.js'
import { type FieldError, Problem } from '../errors.js'
import { writeJson } from '../values/json.js'

const NONE: ReadonlySet<string> = new Set()

/** A field of a body: its API name, its name in the schema, and its column, which a virtual field does not have. */
export interface BodyField extends SchemaField {
  apiName: string
  column: Column | undefined
  /** True if a custom schema of the model validates the field: it receives the value as it was sent */
  isOwn: boolean
}

/**
 * Validates a body and converts it to the values of a model. Values of callers are read only by this class, and only
 * those of the schema's fields.
 */
export class BodySchema {
  readonly #fields: BodyField[]
  readonly #schema: CompiledSchema
  readonly #keysAreFixed: boolean
  readonly #offered: BodyField[]
  /** Schema names of read-only fields */
  readonly #withheld: ReadonlySet<string>

  /**
   * @param find          finds the column of a schema's key, if any
   * @param keysAreFixed  true to ignore key columns, as on update
   * @param isDerived     true if the schema was derived from the columns, and is as strict as they are
   * @param writing       returns whether a field is writable, read-only (accepted, as sending its stored value is not a
   *   write) or unknown
   */
  constructor(
    schema: CompiledSchema,
    find: (name: string) => Column | undefined,
    keysAreFixed: boolean,
    isDerived = false,
    writing: (apiName: string) => 'offered' | 'withheld' | 'unknown' = () => 'offered'
  ) {
    this.#schema = schema
    this.#keysAreFixed = keysAreFixed
    const all = schema.fields.map((field) => {
      const column = find(field.input)
      return { ...field, column, apiName: column?.apiName ?? field.input, isOwn: !isDerived }
    })
    this.#fields = all.filter(({ apiName }) => writing(apiName) !== 'unknown')
    this.#offered = all.filter(({ apiName }) => writing(apiName) === 'offered')
    this.#withheld = new Set(
      all.filter((field) => !this.#offered.includes(field)).map(({ input }) => input)
    )
  }

  /** The fields with their API names, their columns and their schema. */
  get fields(): readonly BodyField[] {
    return this.#offered
  }

  /** The fields that are accepted but not written, because sending their stored value is not a write. */
  get readOnly(): readonly BodyField[] {
    return this.#fields.filter((field) => !this.#offered.includes(field))
  }

  /**
   * Validates a body and converts its values.
   *
   * @param body  the parsed body, by API names
   * @param meta  passed to the schema's rules as `field.meta`
   * @param isStrict  true to refuse fields that the schema does not have
   * @param optional  API names of fields that are not required in this call
   * @returns the values by attribute name; virtual fields by their own name
   * @throws Problem 422  with the invalid fields, at most 100 errors
   */
  async parse(
    body: Record<string, unknown>,
    meta: Record<string, unknown>,
    isStrict = false,
    optional: ReadonlySet<string> = NONE
  ): Promise<Record<string, unknown>> {
    const sent = this.#fields.filter((field) => Object.hasOwn(body, field.apiName))
    const prepared = new Map<BodyField, Prepared>()
    for (const field of sent) {
      prepared.set(field, prepare(field, body[field.apiName]))
    }

    const input = Object.fromEntries(sent.map((field) => [field.input, prepared.get(field)!.value]))
    const { failures, output } = await this.#schema.validate(input, meta)

    const errors = new ErrorList()
    for (const [field, { error }] of prepared) {
      if (error)
        errors.add(field.apiName, error.rule, `The ${field.apiName} field ${error.message}`)
    }
    const isSent = (name: string) => Object.hasOwn(input, name)
    this.#addFailures(
      failures.filter(({ field }) => this.#isWanted(field, isSent, optional)),
      errors
    )
    if (isStrict) addUnknown(body, this.#fields, errors)

    const values: Record<string, unknown> = {}
    for (const field of this.#fields) {
      if (errors.has(field.apiName)) continue
      const value = this.#valueOf(field, output, prepared.get(field))
      if (value === undefined) continue
      if (!field.column) {
        values[field.input] = value
      } else if (!(this.#keysAreFixed && field.column.isPrimary)) {
        const result = isUnreachable(field.column, value)
          ? { error: { rule: 'key', message: 'must not be empty, . or ..' } }
          : toAttribute(field.column, value, prepared.get(field)?.exact)
        if (result.error) {
          const { rule, message } = result.error
          errors.add(field.apiName, rule, `The ${field.apiName} field ${message}`)
        } else {
          values[field.column.attribute] = result.value
        }
      }
    }

    if (errors.errors.length > 0) throw invalidBody(errors.errors)
    return values
  }

  /**
   * Returns the value of a field. VineJS drops a null that is optional but not nullable. Here a null that was sent is
   * preserved: it clears a nullable column and is refused for any other.
   */
  #valueOf(field: BodyField, output: Record<string, unknown>, sent: Prepared | undefined) {
    const value = output[field.output]
    if (field.type === 'multipartFiles' && Array.isArray(value)) return value.map(({ key }) => key)
    if (value instanceof FileReference) return value.key
    if (value === undefined && sent?.value === null && field.column) return null
    return value
  }

  /**
   * True if an error is reported: the field was sent, or is required. A read-only field is not required: code, the
   * record or the database has the value.
   */
  #isWanted(
    path: string,
    isSent: (name: string) => boolean,
    optional: ReadonlySet<string>
  ): boolean {
    const [name] = path.split('.', 1)
    if (isSent(name)) return true
    const field = this.#fields.find(({ input }) => input === name)
    return !this.#withheld.has(name) && !(field && optional.has(field.apiName))
  }

  /** Adds VineJS's errors with API names in place of the schema's names. */
  #addFailures(failures: FieldError[], errors: ErrorList) {
    for (const { field: path, rule, message } of failures) {
      const [first, ...rest] = path.split('.')
      const field = this.#fields.find(({ input }) => input === first)
      const apiName = field?.apiName ?? first
      const text = renamed(asDay(message, field), first, apiName)
      errors.add([apiName, ...rest].join('.'), rule, text)
    }
  }
}

function prepare(field: BodyField, value: unknown): Prepared {
  if (field.type === 'multipartFile') return prepareFile(value)
  if (field.type === 'multipartFiles') return prepareFiles(value)
  return field.isOwn
    ? prepareAsSent(field.column, value, readBy(field))
    : prepareForSchema(field.column, value)
}

/** Returns the type that the schema reads; undefined for a custom parser or custom formats. */
function readBy({ type, settings, rules }: BodyField): Reads {
  if (settings.formats || rules.some(({ name }) => name === 'parse')) return undefined
  if (type === 'number') return 'number'
  return type === 'date' ? 'moment' : undefined
}

/** Adds unknown fields, each with the most similar known name. */
function addUnknown(body: object, fields: readonly BodyField[], errors: ErrorList) {
  const known = fields.map(({ apiName }) => apiName)
  const unknown = Object.keys(body).filter((name) => !known.includes(name))
  for (const name of unknown.slice(0, MOST_ERRORS)) {
    const shown = name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME)}…` : name
    const nearest = known.length > 0 ? `; did you mean "${closest(shown, known)}"?` : ''
    errors.add(shown, 'unknown', `The ${shown} field is not known${nearest}`)
  }
}

/** True for a key whose path clients and proxies would resolve to another path. */
function isUnreachable({ isPrimary }: Column, value: unknown): boolean {
  return isPrimary && ['', '.', '..'].includes(value as string)
}

/* VineJS has one message for dates with and without a time. */
const ANY_DATE = ' must be a datetime value'

function asDay(message: string, field: BodyField | undefined): string {
  if (field?.column?.kind !== 'date' || !message.endsWith(ANY_DATE)) return message
  const formats = [field.settings.formats ?? 'YYYY-MM-DD'].flat()
  const known = formats.every((one) => typeof one === 'string') ? ` as ${formats.join(' or ')}` : ''
  return message.replace(ANY_DATE, ` must be a date${known}`)
}

function renamed(message: string, from: string, to: string): string {
  return from === to
    ? message
    : message.replace(new RegExp(`\\b${RegExp.escape(from)}\\b`, 'g'), to)
}

/* Maximum number of errors: a list of 100,000 invalid values must not result in as many errors. */
const MOST_ERRORS = 100

/* Maximum length for which a similar name is suggested; longer names are not typing errors. */
const LONGEST_NAME = 100

/** The invalid fields, or parts of them (`tags.0`), each with its first error. */
class ErrorList {
  readonly errors: FieldError[] = []
  readonly #paths = new Set<string>()
  readonly #fields = new Set<string>()

  add(path: string, rule: string, message: string) {
    const field = path.split('.', 1)[0]
    if (this.#paths.has(path) || this.#paths.has(field)) return
    this.#paths.add(path)
    this.#fields.add(field)
    if (this.errors.length < MOST_ERRORS) this.errors.push({ field: path, rule, message })
  }

  has(field: string) {
    return this.#fields.has(field)
  }
}

type Values = Record<string, unknown>

/** The body of an update, and the record to update. */
interface SentUpdate extends StoredValues {
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
