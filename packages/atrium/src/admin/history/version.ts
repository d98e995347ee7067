import type { HttpContext } from '@adonisjs/core/http'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import { attributeToApi } from '#base/values/to_api'
import { fromStored, isReadable } from '#base/values/stored_json'
import { writeJson } from '#base/values/json'
import type { Column } from '#base/columns/column'
import { PageNotFound } from '../http/errors.js'
import type AdminAuditLog from '../models/admin_audit_log.js'
import type AdminEventLog from '../models/admin_event_log.js'
import { statesOf, type State } from '../event_log/comparison.js'
import type { EventReader } from '../event_log/event_reader.js'
import type { ModelView } from '../views/model_view.js'
import { isShortened, shortened } from '../events/event_records.js'
import type { FormField } from '../forms/fields/form_field.js'
import type { ReadableHistory, SeesName } from './readable_history.js'
import { rowId } from '../http/row_id.js'

/* Address of the state before the event: `before-345` */
const BEFORE = 'before-'

/**
 * A record as an event left it, or, if the event deleted it for good or the address says so, as it was before.
 */
export interface Version {
  /** Name in addresses: the event's id, or `before-345` */
  id: string
  row: AdminAuditLog
  event: AdminEventLog | null
  /** By API name, as responses held it; long values are shortened */
  state: State
  /** The state before the event; null if it created the record, or if the version is that state */
  before: State | null
  isDeletion: boolean
  /** True if the version is the state before the event */
  isBefore: boolean
}

/** Name of the version before an event, for addresses. */
export function idBefore(event: number): string {
  return `${BEFORE}${event}`
}

/**
 * @param id  of an address
 * @throws PageNotFound  for an event that is none of this record's history, or not any more
 */
export async function versionOf(
  log: EventReader,
  history: ReadableHistory,
  id: string
): Promise<Version> {
  const eventId = rowId(id.replace(BEFORE, ''))
  const row = eventId === null ? null : await log.change(history, eventId)
  if (!row) throw new PageNotFound()
  const { before, after } = statesOf(row)
  const isBefore = after === null || id.startsWith(BEFORE)
  const state = isBefore ? before : after
  if (!state) throw new PageNotFound()
  const event = await log.find(row.eventId)
  const isDeletion = after === null
  return { id, row, event, state, before: isBefore ? null : before, isDeletion, isBefore }
}

/** A parameter of the address; null if it is not there. */
export function parameterIn({ request }: HttpContext, name: string): string | null {
  return new URLSearchParams(request.parsedUrl.query ?? '').getAll(name).at(-1) ?? null
}

/* Rows of the log that one query reads. */
const ROWS = 100

/**
 * Value of a column in a version: as responses held it, or exactly; or the reason why it is not known.
 */
export type EarlierValue =
  | { logged: unknown }
  /** The record with the exact value */
  | { exact: LucidRow }
  | { lack: 'cut' | 'unknown' }

/**
 * The values of a version, by column. Each later change says what a column held before it (`reversal`); what no
 * later change names is as it is now. Whatever does not agree with the state that the log has of the version was
 * written without the log, and its state counts, unless that is a part of the value only. [R8]
 *
 * @param columns  of the model, that the user may see
 */
export async function earlierValues(
  log: EventReader,
  view: ModelView,
  history: ReadableHistory,
  version: Version,
  columns: readonly Column[]
): Promise<Map<Column, EarlierValue>> {
  const stored = await storedValues(log, view, history, version, columns)
  const { base } = view.resource
  const record = new base.model() as LucidRow
  record.merge(base.reader.attributesOfRow(stored) as any)
  return new Map(
    columns.map((column) => [column, valueIn(version, column, record, column.name in stored)])
  )
}

function valueIn(
  { state }: Version,
  column: Column,
  record: LucidRow,
  isKnown: boolean
): EarlierValue {
  const { apiName, serialize } = column
  if (!Object.hasOwn(state, apiName)) return { lack: 'unknown' }
  const logged = state[apiName]
  if (isKnown && isLoggedAs(logged, attributeToApi(column, record))) return { exact: record }
  if (isShortened(logged)) return { lack: 'cut' }
  /* A column's own `serialize` may show a part of its value only. */
  return serialize && logged !== null ? { lack: 'unknown' } : { logged }
}

function isLoggedAs(logged: unknown, value: unknown): boolean {
  /* The log has JSON. */
  const json = value === undefined ? null : JSON.parse(writeJson(value) ?? 'null')
  return (
    writeJson(logged) === writeJson(json) || (isShortened(logged) && logged === shortened(json))
  )
}

async function storedValues(
  log: EventReader,
  view: ModelView,
  history: ReadableHistory,
  { isBefore, row }: Version,
  columns: readonly Column[]
): Promise<Record<string, unknown>> {
  const wanted = new Set(columns.map(({ name }) => name))
  const found: Record<string, unknown> = {}
  /* The event itself is reverted as well for the state before it. */
  let from = isBefore ? row.id : row.id + 1
  while (wanted.size > 0) {
    const rows = await log.reversals(history, from, ROWS)
    for (const { reversal } of rows) {
      for (const [name, value] of Object.entries(reversal?.before ?? {})) {
        if (wanted.delete(name) && isReadable(value)) found[name] = fromStored(value)
      }
    }
    if (rows.length < ROWS) break
    from = rows.at(-1)!.id + 1
  }
  if (wanted.size === 0) return found
  const now = await view.resource.base.reader.stored(view.client(), history.key)
  for (const name of wanted) if (now) found[name] = now.row[name]
  return found
}

/**
 * True if the form can be filled in with an earlier value of the field. Files, values that pages do
 * not show and times that the model sets itself cannot. [R8]
 */
export function isRestorable({ column, hidden, name, valueType }: FormField, sees: SeesName) {
  return column !== undefined && !hidden && valueType !== 'file' && !column.automatic && sees(name)
}
