import { writeJson } from '#base/values/json'
import { ValueError } from '#crud'
import { isList, isObject } from '#base/checks'
import { listed, shown } from '#base/errors'
import { grouped } from '../text/grouped_number.js'

/**
 * Plain text of a value.
 */
export function plainTexts(value: unknown): string[] {
  if (value === null || value === undefined) return []
  return [typeof value === 'object' ? writeJson(value) : String(value)]
}

type Scalar = string | number | boolean | null

/**
 * Values of other fields, by API name, with which a field is part of the form: one, or a list of which one must be
 * there; each of the fields must have its own. `null` is an empty field.
 */
export type VisibleWhen = Readonly<Record<string, Scalar | readonly Scalar[]>>

/** The same as texts of the form; '' for an empty field */
export type Condition = ReadonlyMap<string, readonly string[]>

interface ConditionalField {
  readonly name: string
  readonly condition: Condition | undefined
}

/**
 * Converts the option `visibleWhen` to texts of the form.
 */
export function conditionOf(wanted: VisibleWhen | undefined): Condition | undefined {
  if (wanted === undefined) return undefined
  /* A number is typed with separators of thousands, or without. */
  const texts = (one: Scalar) =>
    one === null ? [''] : plainTexts(one).flatMap((text) => [...new Set([text, grouped(text)])])
  return new Map(
    Object.entries(wanted).map(([name, values]) => [name, [values].flat().flatMap(texts)])
  )
}

/**
 * Names of the fields that are not part of the form as it is filled in. A field that is not part of it itself meets
 * no condition. [R14]
 *
 * @param textsOf  the texts of a field, also of one that the form does not have; null if the viewer can't see it:
 *   then it meets every condition
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

/**
 * Checks the shape of the option `visibleWhen` of a field.
 */
export function isVisibleWhen(value: unknown): value is VisibleWhen {
  if (!isObject(value) || Object.keys(value).length === 0) return false
  const isScalar = (one: unknown) =>
    one === null || ['string', 'number', 'boolean'].includes(typeof one)
  return Object.values(value).every(
    (one) => isScalar(one) || (Array.isArray(one) && one.length > 0 && isList(one, isScalar))
  )
}

/**
 * Checks that each `visibleWhen` names fields of the model, and that no field depends on itself.
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
