import { closest } from 'fastest-levenshtein'
import type { FieldError } from '../http/problem.js'
import { invalidBody } from '../http/problems.js'
import {
  prepareAsSent,
  prepareFile,
  prepareForSchema,
  toAttribute,
  type Prepared,
  type Reads,
} from '../values/from_body.js'
import type { Column } from '../resource/column.js'
import type { CompiledSchema, SchemaField } from './object_schema.js'

/**
 * A field of a body: what the wire calls it, what the schema calls it, and the column it goes to;
 * none for a virtual field.
 */
export interface BodyField extends SchemaField {
  wire: string
  column: Column | undefined
  /** Whether a schema of the model's own judges it, which is given what was sent [A28] */
  isOwn: boolean
}

/**
 * From a body to the values of a model: the one place that reads what a caller wants written. Only
 * what the schema names gets through. [A7, A28]
 */
export class BodySchema {
  readonly #fields: BodyField[]
  readonly #schema: CompiledSchema
  readonly #keysAreFixed: boolean

  /**
   * @param find          the column that a schema's key names, if any
   * @param keysAreFixed  whether key columns are to be left as they are, as on update
   * @param isDerived     whether the schema was derived from the columns, and is as strict as they are
   */
  constructor(
    schema: CompiledSchema,
    find: (name: string) => Column | undefined,
    keysAreFixed: boolean,
    isDerived = false
  ) {
    this.#schema = schema
    this.#keysAreFixed = keysAreFixed
    this.#fields = schema.fields.map((field) => {
      const column = find(field.input)
      return { ...field, column, wire: column?.wire ?? field.input, isOwn: !isDerived }
    })
  }

  /**
   * The fields by their wire names, with their columns and what the schema says of them.
   */
  get fields(): readonly BodyField[] {
    return this.#fields
  }

  /**
   * @param body  the parsed body, by wire names
   * @param meta  handed to the schema's rules as `field.meta`
   * @param isStrict  whether a field that the schema does not name is a fault
   * @returns the values by attribute name, virtual fields by their own
   * @throws Problem 422  with every field that fails
   */
  async parse(
    body: Record<string, unknown>,
    meta: Record<string, unknown>,
    isStrict = false
  ): Promise<Record<string, unknown>> {
    const sent = this.#fields.filter((field) => Object.hasOwn(body, field.wire))
    const prepared = new Map<BodyField, Prepared>()
    for (const field of sent) {
      prepared.set(field, prepare(field, body[field.wire]))
    }

    const input = Object.fromEntries(sent.map((field) => [field.input, prepared.get(field)!.value]))
    const { failures, output } = await this.#schema.validate(input, meta)

    const faults = new FaultList()
    for (const [field, { fault }] of prepared) {
      if (fault) faults.add(field.wire, fault.rule, `The ${field.wire} field ${fault.message}`)
    }
    this.#addFailures(failures, faults)
    if (isStrict) addUnknown(body, this.#fields, faults)

    const values: Record<string, unknown> = {}
    for (const field of this.#fields) {
      if (faults.has(field.wire)) continue
      const value = this.#valueOf(field, output, prepared.get(field))
      if (value === undefined) continue
      if (!field.column) {
        values[field.input] = value
      } else if (!(this.#keysAreFixed && field.column.isPrimary)) {
        const result = isUnreachable(field.column, value)
          ? { fault: { rule: 'key', message: 'must not be empty, . or ..' } }
          : toAttribute(field.column, value, prepared.get(field)?.exact)
        if (result.fault) {
          const { rule, message } = result.fault
          faults.add(field.wire, rule, `The ${field.wire} field ${message}`)
        } else {
          values[field.column.attribute] = result.value
        }
      }
    }

    if (faults.errors.length > 0) throw invalidBody(faults.errors)
    return values
  }

  /**
   * VineJS drops a null that is optional but not nullable; here null that was sent stays null, so
   * that it clears a nullable column and is refused for another.
   */
  #valueOf(field: BodyField, output: Record<string, unknown>, sent: Prepared | undefined) {
    const value = output[field.output]
    if (value === undefined && sent?.value === null && field.column) return null
    return value
  }

  /**
   * VineJS knows the schema's names; the caller knows the wire's.
   */
  #addFailures(failures: FieldError[], faults: FaultList) {
    for (const { field: path, rule, message } of failures) {
      const [first, ...rest] = path.split('.')
      const field = this.#fields.find(({ input }) => input === first)
      const wire = field?.wire ?? first
      faults.add([wire, ...rest].join('.'), rule, renamed(message, first, wire))
    }
  }
}

function prepare(field: BodyField, value: unknown): Prepared {
  if (field.type === 'multipartFile') return prepareFile(value)
  return field.isOwn
    ? prepareAsSent(field.column, value, readBy(field))
    : prepareForSchema(field.column, value)
}

/** A parser, or formats of a schema's own, read other values. */
function readBy({ type, settings, rules }: BodyField): Reads {
  if (settings.formats || rules.some(({ name }) => name === 'parse')) return undefined
  if (type === 'number') return 'number'
  return type === 'date' ? 'moment' : undefined
}

/** Each with the nearest name that there is. [A7] */
function addUnknown(body: object, fields: readonly BodyField[], faults: FaultList) {
  const known = fields.map(({ wire }) => wire)
  const unknown = Object.keys(body).filter((name) => !known.includes(name))
  for (const name of unknown.slice(0, MOST_ERRORS)) {
    const shown = name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME)}…` : name
    const nearest = known.length > 0 ? `; did you mean "${closest(shown, known)}"?` : ''
    faults.add(shown, 'unknown', `The ${shown} field is not known${nearest}`)
  }
}

/** Such a key would lie at a path that every client and proxy takes for another one. */
function isUnreachable({ isPrimary }: Column, value: unknown): boolean {
  return isPrimary && ['', '.', '..'].includes(value as string)
}

function renamed(message: string, from: string, to: string): string {
  return from === to
    ? message
    : message.replace(new RegExp(`\\b${RegExp.escape(from)}\\b`, 'g'), to)
}

/* Nobody mends more at once, and a list of 100,000 wrong values must not become as many errors. */
const MOST_ERRORS = 100

/* A name of a megabyte is nobody's slip of the keys. */
const LONGEST_NAME = 100

/**
 * The failing fields, or parts of them (`tags.0`), each with its first fault.
 */
class FaultList {
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
