import encryption from '@adonisjs/core/services/encryption'
import type { HttpContext } from '@adonisjs/core/http'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import { writeJson } from '#base/values/json'
import { attributeValue } from '#base/values/to_api'
import type { Column } from '#base/columns/column'
import { textsOf, valueOf } from '../fields/field_texts.js'
import type { FormField } from '../fields/form_field.js'
import { Widget } from '../../views/widget.js'
import type { Submission } from '../submission/submission.js'
import { normalText, storedTexts } from '../submission/unchanged_fields.js'
import type { ModelView } from '../../views/model_view.js'
import { guardOf } from '../../identity/admin_guard.js'
import { digest } from '#base/values/digest'

/* A digest represents a value as a form shows it: two values that a form shows in the same way have the same digest. */

/**
 * Returns the digest of a stored value.
 *
 * @param texts  texts that the form shows for the value
 */
function storedPrint(field: FormField, texts: readonly string[]): string {
  return printOf(field.column ? readAndShown(field, texts) : valuesOf(field, texts))
}

/**
 * Returns the digest of a submitted value.
 *
 * @returns undefined if nothing was submitted for the field; for a file, a text that differs from every digest
 */
export function sentPrint(
  field: FormField,
  { values, shown, cleared, files, fileLists, errors }: Submission
): string | undefined {
  const { name, column } = field
  if (cleared.has(name)) return storedPrint(field, [])
  if (files.has(name)) return 'file'
  const isInvalid = errors.some((error) => error.field === name)
  if (!isInvalid && !fileLists.has(name) && !Object.hasOwn(values, name)) return undefined
  if (column || isInvalid) return printOf(readAndShown(field, shown[name] ?? []))
  return printOf(asSet(values[name]))
}

function printOf(text: string): string {
  return digest(text, 'base64url').slice(0, 22)
}

/** Returns the texts as one text. Numbers and JSON are normalized by parsing and formatting them. */
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

/** Normalizes the value of a field that is not a column: a set of values or one value. */
function valuesOf({ widget }: FormField, texts: readonly string[]): string {
  const sent = texts.filter((text) => text.trim() !== '')
  return asSet(widget instanceof Widget ? widget.read(sent) : sent)
}

function asSet(value: unknown): string {
  return writeJson(Array.isArray(value) ? value.map((one) => writeJson(one)).toSorted() : value)
}

/** Name of the hidden input with the record as the form showed it. */
export const openedField = '_opened'

/* Maximum lengths of one value and of all values as JSON. Longer values are compared by digest but cannot be shown. */
const LONGEST_VALUE = 1000
const LONGEST_VALUES = 6000

/** A record as a form showed it. */
export interface OpenedRecord {
  /** Time of rendering, in milliseconds */
  at: number
  /** Digests of the form's fields, by API name */
  prints: Record<string, string>
  /** Digests of the other visible columns, by API name */
  facts: Record<string, string>
  /** Short values as JSON, by API name */
  values: Record<string, string>
}

/** A record and its form, from which the digests are computed. */
interface FormRecord {
  view: ModelView
  /** Fields of the form */
  fields: readonly FormField[]
  record: LucidRow
  /** Texts of the fields that are not columns, by name, as far as known */
  own: Record<string, string[]>
}

/**
 * Returns the record for a hidden input of its form, encrypted, and valid only for this user, record and version. It
 * only contains what the form and the page around it show.
 *
 * @param version  version of the record
 */
export function sealOpened(ctx: HttpContext, form: FormRecord, version: string): string {
  const opened: OpenedRecord = { at: Date.now(), ...printsOf(form), values: {} }
  let left = LONGEST_VALUES
  for (const [name, json] of jsonOf(form)) {
    if (json.length > Math.min(left, LONGEST_VALUE)) continue
    opened.values[name] = json
    left -= json.length
  }
  return encryption.encrypt(JSON.stringify(opened), { purpose: purposeOf(ctx, form, version) })
}

/**
 * Decrypts the value of `sealOpened`.
 *
 * @returns null if the value is missing, or was created for another user, record or version
 */
export function readOpened(
  ctx: HttpContext,
  form: Pick<FormRecord, 'view' | 'record'>,
  { version, sealed }: { version: string; sealed: string | undefined }
): OpenedRecord | null {
  if (!sealed) return null
  const json = encryption.decrypt<string>(sealed, purposeOf(ctx, form, version))
  return json === null ? null : (JSON.parse(json) as OpenedRecord)
}

/** Returns digests of a record's values as the form and the page around it show them, by API name. */
export function printsOf(form: FormRecord): Pick<OpenedRecord, 'prints' | 'facts'> {
  const { fields, record, own } = form
  const texts = { ...storedTexts(fields, record), ...own }
  const shown = fields.filter((field) => texts[field.name] && !describesChanges(field))
  return {
    prints: Object.fromEntries(
      shown.map((field) => [field.name, storedPrint(field, texts[field.name])])
    ),
    facts: Object.fromEntries(
      otherColumns(form).map((column) => [
        column.apiName,
        printOf(writeJson(fieldValue(record, column))),
      ])
    ),
  }
}

function describesChanges({ widget }: FormField): boolean {
  return widget instanceof Widget && widget.describesChanges === true
}

function jsonOf(form: FormRecord): Array<[string, string]> {
  const { fields, record, own } = form
  const shown = fields.flatMap(({ hidden, column }) => (column && !hidden ? [column] : []))
  return [
    ...[...shown, ...otherColumns(form)].map((column): [string, string] => [
      column.apiName,
      writeJson(fieldValue(record, column)),
    ]),
    ...Object.entries(own).map(([name, texts]): [string, string] => [name, writeJson(texts)]),
  ]
}

/** Returns the columns that the page shows next to the form, except the time of the last update. */
function otherColumns({ view, fields }: Pick<FormRecord, 'view' | 'fields'>): Column[] {
  const names = new Set(fields.map(({ name }) => name))
  const { fields: columns, updatedAt } = view.resource
  return columns.filter((column) => !names.has(column.apiName) && column !== updatedAt)
}

function fieldValue(record: LucidRow, column: Column): unknown {
  return attributeValue(column, record)
}

function purposeOf(
  ctx: HttpContext,
  { view, record }: Pick<FormRecord, 'view' | 'record'>,
  version: string
): string {
  const { key } = view.resource
  const { owner } = guardOf(ctx).signedInOrFail()
  return ['opened', owner.id, view.name + key.toPath(key.of(record)), version].join(' ')
}
