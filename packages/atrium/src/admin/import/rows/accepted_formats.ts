import type { Column } from '#base/columns/column'
import { readDate, readDateTime, readTime } from '#base/values/datetime'
import { readNumber } from '#base/values/numbers'
import type { FormField } from '../../forms/fields/form_field.js'
import type { Site } from '../../views/site.js'

/* A message does not list more. */
const MOST_CHOICES = 12

/** Types of columns with the function that returns null for a text that is not of the type */
const READERS: Partial<Record<Column['kind'], (text: string) => unknown>> = {
  integer: readNumber,
  number: readNumber,
  boolean: () => null,
  date: readDate,
  datetime: readDateTime,
  time: readTime,
}

/**
 * Returns a message with the formats or choices that a field accepts in a file.
 *
 * @param value  value of the cell, as far as it could be converted
 * @returns undefined if the value has such a format, or if the field accepts any text
 */
export function formatMessage(
  site: Site,
  { choices, column, label }: Pick<FormField, 'choices' | 'column' | 'label'>,
  value: unknown
): string | undefined {
  if (typeof value !== 'string' || !column) return undefined
  const read = READERS[column.kind]
  if (read) {
    const readsItself = column.preparesItself && !column.holdsDateTime
    if (readsItself || read(value) !== null) return undefined
    return site.text(`import.accepted.${column.kind}`, { label })
  }
  const isListed = choices?.some((one) => String(one) === value) ?? true
  if (isListed || choices!.length > MOST_CHOICES) return undefined
  return site.text('import.accepted.choices', { label, choices: choices!.map(String).join(', ') })
}
