import type { LucidRow } from '@adonisjs/lucid/types/model'
import { DateTime } from 'luxon'
import type { FieldError } from '#crud/http/problem'
import { readDateTime } from '#crud/values/datetime'
import { toWire } from '#crud/values/to_api'
import { textsOf } from '../fields/field_texts.js'
import type { FormField } from '../fields/form_field.js'
import type { Submission } from './submission.js'

/**
 * What a form shows of a record, by wire name: never what is hidden. [S49]
 */
export function storedTexts(
  fields: readonly FormField[],
  record: LucidRow
): Record<string, string[]> {
  const texts: Record<string, string[]> = {}
  for (const field of fields) {
    if (!field.column || field.hidden) continue
    texts[field.name] = textsOf(field, toWire(field.column, attributeOf(field, record)))
  }
  return texts
}

/**
 * Puts the record's own values in the place of those that came back as the form showed them. A form
 * can't hold everything: it would give back `\r\n` as `\n`, cut a moment's milliseconds, and make `true` of
 * a driver's 1, in fields that nobody touched.
 *
 * @param values  by attribute name, as the schema let them through
 */
export function keepUntouched(
  fields: readonly FormField[],
  { shown, cleared }: Submission,
  record: LucidRow,
  values: Record<string, unknown>
): void {
  const stored = storedTexts(fields, record)
  for (const field of fields) {
    const { attribute } = field.column ?? {}
    if (!attribute || !Object.hasOwn(values, attribute) || cleared.has(field.name)) continue
    const own = attributeOf(field, record)
    const isPlain = typeof own !== 'object' || DateTime.isDateTime(own)
    if (isPlain && isSame(field, stored[field.name], shown[field.name])) values[attribute] = own
  }
}

/**
 * The faults without those of fields that came back as the form showed them: a record may hold what no
 * form takes, such as JSON that nests too deep, and whoever leaves it alone is to save the rest.
 */
export function touchedFaults(
  fields: readonly FormField[],
  { shown, faults }: Submission,
  record: LucidRow
): FieldError[] {
  if (faults.length === 0) return []
  const stored = storedTexts(fields, record)
  return faults.filter(({ field: name }) => {
    const field = fields.find((one) => one.name === name)!
    return !isSame(field, stored[name], shown[name])
  })
}

function isSame(field: FormField, stored: string[] = [], sent: string[] = []): boolean {
  const form = (texts: string[]) => {
    /* A hidden `false` stands before the checkbox. */
    const counting = field.holds === 'boolean' ? texts.slice(-1) : texts
    const text = counting.join('\n').replace(/\r\n?/g, '\n')
    return field.holds === 'datetime' ? (readDateTime(text) ?? text) : text
  }
  return sent.length > 0 && form(stored) === form(sent)
}

function attributeOf(field: FormField, record: LucidRow): unknown {
  return (record as unknown as Record<string, unknown>)[field.column!.attribute]
}
