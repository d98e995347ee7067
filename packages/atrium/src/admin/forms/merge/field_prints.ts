import { createHash } from 'node:crypto'
import { writeJson } from '#base/values/json'
import { textsOf, valueOf } from '../fields/field_texts.js'
import type { FormField } from '../fields/form_field.js'
import { Widget } from '../fields/widget.js'
import type { Submission } from '../submission/submission.js'
import { normalText } from '../submission/untouched.js'

/*
 * A print is a short text that two values of a field have in common if a form does not tell them apart.
 */

/**
 * The print of a stored value.
 *
 * @param texts  as the form shows the value
 */
export function storedPrint(field: FormField, texts: readonly string[]): string {
  return printOf(field.column ? readAndShown(field, texts) : valuesOf(field, texts))
}

/**
 * The print of what a form sent.
 *
 * @returns undefined if nothing was sent for the field; a file has the print of no other value
 */
export function sentPrint(
  field: FormField,
  { values, shown, cleared, files, faults }: Submission
): string | undefined {
  const { name, column } = field
  if (cleared.has(name)) return storedPrint(field, [])
  if (files.has(name)) return 'file'
  const isFaulty = faults.some((fault) => fault.field === name)
  if (!isFaulty && !Object.hasOwn(values, name)) return undefined
  if (column || isFaulty) return printOf(readAndShown(field, shown[name] ?? []))
  return printOf(asSet(values[name]))
}

export function printOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 22)
}

/** Numbers and JSON can be written in several ways. */
function readAndShown(field: FormField, texts: readonly string[]): string {
  const text = normalText(field, [...texts])
  const isWritten = field.valueType === 'json' || field.valueType === 'number'
  if (!isWritten || field.multiple || text === '') return text
  try {
    return normalText(field, textsOf(field, valueOf(field, [text])))
  } catch {
    return text
  }
}

/** A field that is not a column holds a set of values or one value. */
function valuesOf({ widget }: FormField, texts: readonly string[]): string {
  const sent = texts.filter((text) => text.trim() !== '')
  return asSet(widget instanceof Widget ? widget.read(sent) : sent)
}

function asSet(value: unknown): string {
  return writeJson(Array.isArray(value) ? value.map((one) => writeJson(one)).toSorted() : value)
}
