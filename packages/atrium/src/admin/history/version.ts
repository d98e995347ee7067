import type { LucidRow } from '@adonisjs/lucid/types/model'
import { attributeToApi } from '#base/values/to_api'
import { writeJson } from '#base/values/json'
import { fromStored, isReadable } from '#base/values/stored_json'
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
import { rowId } from '../views/record_items.js'

/* Prefix in the address of the state before an event, such as `before-345` */
const BEFORE = 'before-'

/**
 * A record as an event left it. For a permanent deletion, or if the id starts with `before-`: the record before the
 * event.
 */
export interface Version {
  /** Id in addresses: the event's id, or `before-345` */
  id: string
  row: AdminAuditLog
  event: AdminEventLog | null
  /** Values by API name in the format of responses; long values are shortened */
  state: State
  /** State before the event; null if the event created the record or `state` is already the state before the event */
  before: State | null
  isDeletion: boolean
  /** True if the version is the state before the event */
  isBefore: boolean
}

/** Returns the id, in addresses, of the version before an event. */
export function idBefore(event: number): string {
  return `${BEFORE}${event}`
}

/**
 * Reads the version that an address refers to.
 *
 * @param id  id of the version from the address
 * @throws PageNotFound  if the event is not, or no longer, part of the record's history
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

/* Number of rows of the log per query */
const ROWS = 100

/** Value of a column in a version: in the format of responses, or exact; or the reason why it is unknown. */
export type EarlierValue =
  | { logged: unknown }
  /** A record that contains the exact value */
  | { exact: LucidRow }
  | { lack: 'cut' | 'unknown' }

/**
 * Returns the values of a version, by column. Each later change contains the previous values of its columns
 * (`reversal`); other columns are unchanged. A value that differs from the state logged for the version was changed
 * without the log: then the logged value is returned, or `lack` if the log may contain only a part of it.
 *
 * @param columns  columns of the model that the user can see
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
  /* A custom `serialize` of the column can return only a part of the value. */
  return serialize && logged !== null ? { lack: 'unknown' } : { logged }
}

function isLoggedAs(logged: unknown, value: unknown): boolean {
  /* Converted to JSON, as the log contains JSON. */
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
  /* For the state before the event, the event itself is reverted as well. */
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
 * Returns true if the form can be filled in with an earlier value of the field. This excludes files, hidden values,
 * and times that the model sets itself.
 */
export function isRestorable({ column, hidden, name, valueType }: FormField, sees: SeesName) {
  return column !== undefined && !hidden && valueType !== 'file' && !column.automatic && sees(name)
}
