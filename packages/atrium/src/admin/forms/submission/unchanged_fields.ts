import type { LucidRow } from '@adonisjs/lucid/types/model'
import { DateTime } from 'luxon'
import type { Item } from '#crud'
import type { Column } from '#base/columns/column'
import type { FieldError } from '#base/errors'
import type { Resource } from '#crud/internals'
import { attributeValue, toApi } from '#base/values/to_api'
import { writeJson } from '#base/values/json'
import { ungrouped } from '#base/values/numbers'
import { isSameMoment, normalMoment } from '../../time/local_time.js'
import { textsOf } from '../fields/field_texts.js'
import { type FormField, inputName } from '../fields/form_field.js'
import type { Submission } from './submission.js'
import type { ModelView } from '../../views/model_view.js'
import { plainTexts } from '../../views/visible_when.js'

/**
 * Returns a function that returns the texts of a form's fields after saving: the submitted texts, otherwise those of
 * the record or the column's default.
 *
 * @param fields  fields of the form; other names are those of columns that are not in the form
 * @param record  record to update; undefined for a create form
 * @returns function that takes the name of a field and returns its texts; null for a field that the viewer can't see
 */
export function textsInForm(
  view: ModelView,
  fields: readonly FormField[],
  submission?: Submission,
  record?: LucidRow
): (name: string) => readonly string[] | null {
  return (name) => {
    const field = fields.find((one) => one.name === name)
    if (submission?.cleared.has(name)) return []
    const sent = submission?.shown[name] ?? []
    /* A hidden input with `false` precedes the checkbox, so only the last text counts. */
    const counting = field?.valueType === 'boolean' ? sent.slice(-1) : sent
    const typed = counting.map((text) => text.trim()).filter((text) => text !== '')
    if (field && typed.length > 0) return typed

    const column = field?.column ?? view.resource.fields.find(({ apiName }) => apiName === name)
    if (!column) return field ? [] : null
    if (!record) return field?.initial ?? (column.defaultText === null ? [] : [column.defaultText])
    const value = attributeValue(column, record)
    return field ? textsOf(field, value) : plainTexts(value)
  }
}

/** Returns the texts that a form shows for a record, by API name, without hidden fields. */
export function storedTexts(
  fields: readonly FormField[],
  record: LucidRow
): Record<string, string[]> {
  const texts: Record<string, string[]> = {}
  for (const field of fields) {
    if (!field.column || field.hidden) continue
    texts[field.name] = textsOf(field, attributeValue(field.column, record))
  }
  return texts
}

/**
 * Sets the fields that were submitted as shown to the exact values of the record. Forms do not preserve every value:
 * they convert `\r\n` to `\n`, remove milliseconds of datetimes and convert a driver's 1 to `true`. JSON that a driver
 * has parsed is left out, as serializing it again would lose whitespace and digits.
 *
 * @param values  validated values, by attribute name
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
    if (!isSame(field, stored[field.name], shown[field.name])) continue
    const isPlain = typeof own !== 'object' || DateTime.isDateTime(own) || own instanceof Date
    if (isPlain) values[attribute] = own
    else if (field.column!.kind === 'json') delete values[attribute]
  }
}

/**
 * Removes the errors of fields that were submitted as shown. A record may contain values that no form accepts, such
 * as deeply nested JSON, and the user must be able to save the other fields.
 */
export function touchedErrors(
  fields: readonly FormField[],
  { shown, errors, fileLists }: Submission,
  record: LucidRow
): FieldError[] {
  if (errors.length === 0) return []
  const stored = storedTexts(fields, record)
  return errors.filter(({ field: name }) => {
    const field = fields.find((one) => one.name === name)!
    /* The submitted texts do not contain rejected files, so the field counts as changed. */
    if (fileLists.get(name)?.added.length) return true
    return !isSame(field, stored[name], shown[name])
  })
}

/** Returns a predicate that is true for fields that were submitted as shown, or not submitted. */
export function untouchedIn(
  fields: readonly FormField[],
  { shown, cleared }: Submission,
  record: LucidRow
): (name: string) => boolean {
  return (name) => {
    const field = fields.find((one) => one.name === name)
    const sent = shown[name]
    if (cleared.has(name)) return false
    if (!field || !sent) return true
    return isSame(field, storedTexts([field], record)[name], sent)
  }
}

/**
 * Returns the fields that were submitted with a value that differs from the record's or, without a record, with any
 * value.
 *
 * @param fields  fields that must not be written
 * @param sent    submitted texts by input name
 */
export function changedFields(
  fields: readonly FormField[],
  sent: ReadonlyMap<string, readonly string[]>,
  record?: LucidRow
): FormField[] {
  const stored = record ? storedTexts(fields, record) : {}
  return fields.filter((field) => {
    const texts = [...(sent.get(inputName(field.name)) ?? [])]
    return texts.some((text) => text.trim() !== '') && !isSame(field, stored[field.name], texts)
  })
}

/** Returns true if two states of a record differ at most in the time of the update. */
export function isSameItem({ updatedAt }: Resource, one: Item, other: Item): boolean {
  const names = Object.keys(one).filter((name) => name !== updatedAt?.apiName)
  return names.every((name) => writeJson(one[name]) === writeJson(other[name]))
}

/**
 * Returns true if the values differ from those of the record.
 *
 * @param all     columns of the model
 * @param values  validated values, by attribute name
 * @param own     texts of the fields that are not columns, by name, as far as known
 */
export function changesRecord(
  all: readonly Column[],
  { shown }: Submission,
  record: LucidRow,
  values: Record<string, unknown>,
  own: Record<string, string[]>
): boolean {
  const columns = new Map(all.map((column) => [column.attribute, column]))
  return Object.entries(values).some(([name, value]) => {
    const column = columns.get(name)
    if (column) {
      return writeJson(toApi(column, value)) !== writeJson(attributeValue(column, record))
    }
    const known = own[name]
    return !known || writeJson(known.toSorted()) !== writeJson((shown[name] ?? []).toSorted())
  })
}

/** Returns the submitted text of a field in normalized form, so that equal values have equal texts. */
export function normalText(field: FormField, texts: string[] = []): string {
  /* A hidden input with `false` precedes the checkbox, so only the last text counts. */
  const counting = field.valueType === 'boolean' ? texts.slice(-1) : texts
  const text = counting.join('\n').replace(/\r\n?/g, '\n')
  if (field.valueType === 'datetime') return normalMoment(text)
  return field.valueType === 'number' ? ungrouped(text) : text
}

/** Returns true if a field was submitted as it was shown. */
export function isSame(field: FormField, stored: string[] = [], sent: string[] = []): boolean {
  if (sent.length === 0) return false
  const [one, other] = [normalText(field, stored), normalText(field, sent)]
  return field.valueType === 'datetime' ? isSameMoment(one, other) : one === other
}

function attributeOf(field: FormField, record: LucidRow): unknown {
  return (record as unknown as Record<string, unknown>)[field.column!.attribute]
}
