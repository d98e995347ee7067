import encryption from '@adonisjs/core/services/encryption'
import type { HttpContext } from '@adonisjs/core/http'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import { attributeValue } from '#base/values/to_api'
import { writeJson } from '#base/values/json'
import type { Column } from '#base/columns/column'
import type { ModelView } from '../../model_view.js'
import type { FormField } from '../fields/form_field.js'
import { Widget } from '../fields/widget.js'
import { storedTexts } from '../submission/untouched.js'
import { printOf, storedPrint } from './field_prints.js'
import { guardOf } from '../../authentication/sessions/admin_guard.js'

/** Form field with the record as the form showed it. [R15] */
export const openedField = '_opened'

/* Longer values are compared, but no longer shown. */
const LONGEST_VALUE = 1000
const LONGEST_VALUES = 6000

/**
 * A record as a form showed it.
 */
export interface OpenedRecord {
  /** Time in milliseconds */
  at: number
  /** Prints of the form's fields by API name */
  prints: Record<string, string>
  /** Prints of the other visible columns by API name */
  facts: Record<string, string>
  /** JSON by API name, of short values */
  values: Record<string, string>
}

/**
 * Parts of a form that make up a record.
 */
export interface FormRecord {
  view: ModelView
  /** Those of the form */
  fields: readonly FormField[]
  record: LucidRow
  /** Texts of the fields that are not columns, by name, where they are known */
  own: Record<string, string[]>
}

/**
 * The record for a hidden field of its form: encrypted, and readable for this person, this record and this
 * version of it alone. Holds nothing that the form or the page around it does not show.
 *
 * @param version  of the record
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
 * Reads what `sealOpened` returned.
 *
 * @returns null if it was not made for this person, record and version
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

/**
 * Prints of a record's values as a form and the page around it show them, by API name.
 */
export function printsOf(form: FormRecord): Pick<OpenedRecord, 'prints' | 'facts'> {
  const { fields, record, own } = form
  const texts = { ...storedTexts(fields, record), ...own }
  const shown = fields.filter((field) => texts[field.name] && !tellsChanges(field))
  return {
    prints: Object.fromEntries(
      shown.map((field) => [field.name, storedPrint(field, texts[field.name])])
    ),
    facts: Object.fromEntries(
      otherColumns(form).map((column) => [
        column.apiName,
        printOf(writeJson(valueOf(record, column))),
      ])
    ),
  }
}

function tellsChanges({ widget }: FormField): boolean {
  return widget instanceof Widget && widget.tellsChanges === true
}

function jsonOf(form: FormRecord): Array<[string, string]> {
  const { fields, record, own } = form
  const shown = fields.flatMap(({ hidden, column }) => (column && !hidden ? [column] : []))
  return [
    ...[...shown, ...otherColumns(form)].map((column): [string, string] => [
      column.apiName,
      writeJson(valueOf(record, column)),
    ]),
    ...Object.entries(own).map(([name, texts]): [string, string] => [name, writeJson(texts)]),
  ]
}

/** Those that the page shows next to the form. */
function otherColumns({ view, fields }: Pick<FormRecord, 'view' | 'fields'>): Column[] {
  const names = new Set(fields.map(({ name }) => name))
  const { fields: columns, updatedAt } = view.resource
  return columns.filter((column) => !names.has(column.apiName) && column !== updatedAt)
}

function valueOf(record: LucidRow, column: Column): unknown {
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
