import { writeJson } from '#base/values/json'
import { ValueError } from '#crud'
import { isList, isObject } from '#base/checks'
import { listed, shown } from '#base/errors'
import { grouped } from '#base/values/numbers'

/** Returns a list with the plain text of a value; an empty list for null and undefined. */
export function plainTexts(value: unknown): string[] {
  if (value === null || value === undefined) return []
  return [typeof value === 'object' ? writeJson(value) : String(value)]
}

type Scalar = string | number | boolean | null

/**
 * Values of other fields, by API name, that make a field visible. A list matches if it contains the other field's
 * value; all fields must match. `null` matches an empty field.
 */
export type VisibleWhen = Readonly<Record<string, Scalar | readonly Scalar[]>>

/** `VisibleWhen` with the texts that the form submits; '' matches an empty field */
export type Condition = ReadonlyMap<string, readonly string[]>

interface ConditionalField {
  readonly name: string
  readonly condition: Condition | undefined
}

/** Converts the option `visibleWhen` to texts of the form; undefined without the option. */
export function conditionOf(wanted: VisibleWhen | undefined): Condition | undefined {
  if (wanted === undefined) return undefined
  /* Matches numbers with and without thousands separators. */
  const texts = (one: Scalar) =>
    one === null ? [''] : plainTexts(one).flatMap((text) => [...new Set([text, grouped(text)])])
  return new Map(
    Object.entries(wanted).map(([name, values]) => [name, [values].flat().flatMap(texts)])
  )
}

/**
 * Returns the names of the fields that are hidden because their condition is not met. A condition on a hidden field
 * is never met.
 *
 * @param textsOf  returns the texts of a field, including fields that are not in the form; null if the viewer can't
 *   see the field, in which case conditions on it are met
 */
export function unseenFields(
  fields: readonly ConditionalField[],
  textsOf: (name: string) => readonly string[] | null
): Set<string> {
  const conditions = new Map(fields.map(({ name, condition }) => [name, condition]))
  const isSeen = (name: string): boolean =>
    [...(conditions.get(name) ?? [])].every(([other, wanted]) => {
      if (!isSeen(other)) return false
      const texts = textsOf(other)
      return texts === null || (texts.length > 0 ? texts : ['']).some((one) => wanted.includes(one))
    })
  return new Set([...conditions.keys()].filter((name) => !isSeen(name)))
}

/** Returns true if the option `visibleWhen` of a field has a valid shape. */
export function isVisibleWhen(value: unknown): value is VisibleWhen {
  if (!isObject(value) || Object.keys(value).length === 0) return false
  const isScalar = (one: unknown) =>
    one === null || ['string', 'number', 'boolean'].includes(typeof one)
  return Object.values(value).every(
    (one) => isScalar(one) || (Array.isArray(one) && one.length > 0 && isList(one, isScalar))
  )
}

/**
 * Checks that each `visibleWhen` refers to fields of the model, and that no field depends on itself.
 *
 * @param name   name of the model
 * @param known  API names of the model's fields
 * @throws ValueError
 */
export function checkConditions(
  name: string,
  fields: Readonly<Record<string, { visibleWhen?: VisibleWhen }>>,
  known: readonly string[]
): void {
  const othersOf = (field: string) => Object.keys(fields[field]?.visibleWhen ?? {})
  for (const field of Object.keys(fields)) {
    const place = `${name}: fields.${field}.visibleWhen`
    const unknown = othersOf(field).filter((one) => !known.includes(one))
    if (unknown.length > 0) {
      throw new ValueError(
        `${place} names ${listed(unknown)}, which is not a field; fields are ${listed(known)}`
      )
    }
    const reached = new Set<string>()
    const waiting = [field]
    for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
      for (const other of othersOf(at)) {
        if (other === field) {
          throw new ValueError(`${place} depends on ${shown(field)} itself, and must not`)
        }
        if (!reached.has(other)) waiting.push(other)
        reached.add(other)
      }
    }
  }
}
