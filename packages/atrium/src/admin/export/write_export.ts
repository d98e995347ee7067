import type { Writable } from 'node:stream'
import type { HttpContext } from '@adonisjs/core/http'
import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import type { Item } from '#crud'
import { requestsFirst } from '#base/event_loop'
import { sheetWriter } from '../sheets/sheet_writer.js'
import type { Cell, FileFormat } from '../sheets/file_shape.js'
import type { ExportChoice } from './export_choice.js'
import { readableColumns, type ExportColumn } from './export_columns.js'
import { DateTime } from 'luxon'
import string from '@adonisjs/core/helpers/string'
import type { Site } from '../views/site.js'
import { operatorOf, jobOf } from '../identity/admin_actor.js'
import { eventActor } from '../events/event_dispatcher.js'
import { type EventDetails, EventType } from '../events/event_integration.js'
import type { ModelView } from '../views/model_view.js'
import { presentZone } from '../time/time_zone.js'
import type { ExportedList } from './exported_list.js'

/** Formats with a heading; the other formats use the column names as property names. */
const WITH_HEADING: ReadonlyArray<ExportChoice['format']> = ['csv', 'xlsx']

interface Source {
  columns: readonly ExportColumn[]
  batches: AsyncIterable<Item[]>
  ctx: HttpContext
  /** Client that the batches are read with */
  client: QueryClientContract
}

interface Progress {
  /** Number of written records */
  count: number
}

/**
 * Writes records as a file, and ends the file. Requests to the process are handled between two batches.
 *
 * @param output    stream; can be slower than the database
 * @param progress  updated after each batch
 * @param pause     called after each batch; can throw to stop the export
 */
export async function writeExport(
  { columns: all, batches, ctx, client }: Source,
  { format, bom, labels, raw }: ExportChoice,
  output: Writable,
  progress: Progress,
  pause: () => void | Promise<void> = () => {}
): Promise<void> {
  const isLabelled = labels && WITH_HEADING.includes(format)
  const columns = isLabelled ? readableColumns(all) : all
  const names = columns.map(({ name }) => name)
  const writer = sheetWriter(format, output, {
    columns: isLabelled ? columns.map(({ label }) => label) : names,
    numeric: positionsOf(columns, ({ isNumeric }) => isNumeric),
    json: positionsOf(columns, ({ isJson }) => isJson),
    bom,
    raw,
  })
  for await (const items of batches) {
    const made = await madeValues(columns, items, ctx, client)
    for (const [row, item] of items.entries()) {
      progress.count++
      await writer.write(
        columns.map(({ labelOf, name, titleOf }, index) => {
          const value = made[index] ? made[index][row] : (item[name] as Cell)
          if (!isLabelled) return value
          return labelOf?.(value) || (titleOf ? (value ?? (item[titleOf] as Cell)) : value)
        })
      )
    }
    await pause()
    await requestsFirst()
  }
  await writer.end()
}

function positionsOf(
  columns: readonly ExportColumn[],
  isWanted: (column: ExportColumn) => boolean
): Set<number> {
  return new Set(columns.flatMap((column, index) => (isWanted(column) ? [index] : [])))
}

/**
 * Returns the values of the columns that are not fields. The columns are read one after the other, because they can
 * share the connection of a transaction.
 */
async function madeValues(
  columns: readonly ExportColumn[],
  items: Item[],
  ctx: HttpContext,
  client: QueryClientContract
): Promise<Array<Cell[] | null>> {
  const made: Array<Cell[] | null> = []
  for (const { values } of columns) made.push(values && (await values(items, ctx, client)))
  return made
}

interface Outcome {
  /** Number of written records */
  count: number
  /** True if not all records were written */
  isInterrupted?: boolean
}

/**
 * Logs an export: the list's query, the format and the number of records. For an interrupted export, it is the number
 * of records that the client may have received.
 */
export function logExport(
  ctx: HttpContext,
  site: Site,
  { view, parameters, selected }: ExportedList,
  { format, raw }: ExportChoice,
  { count, isInterrupted = false }: Outcome
): void {
  const job = jobOf(ctx)
  const details: EventDetails = {
    format,
    query: parameters.wholeQuery,
    count,
    ...(selected && { selected: [...selected] }),
    ...(raw && { raw }),
    ...(isInterrupted && { interrupted: true }),
    ...(job !== undefined && { job }),
  }
  const event = {
    type: EventType.EXPORT,
    status: isInterrupted ? ('failure' as const) : ('success' as const),
    resourceType: view.name,
    details,
  }
  const operator = operatorOf(ctx)
  if (!operator) return site.logEvent(ctx, event)
  const { userId, username, sessionId } = eventActor({ actor: operator, origin: undefined })
  void site.events.log({
    ...event,
    ...{ userId, username, sessionId, ipAddress: null, userAgent: null },
    timestamp: DateTime.utc(),
    resourceId: null,
    records: [],
  })
}

/**
 * Returns the file name of an export, with the day in the user's time zone: `films-2026-11-23.csv`. It consists only of
 * ASCII letters, digits, dots and dashes, which are safe in headers and on file systems.
 */
export function fileName({ label, name }: ModelView, format: FileFormat): string {
  const day = DateTime.now().setZone(presentZone()).toISODate()
  return `${slugOf(label) || slugOf(name) || 'export'}-${day}.${format}`
}

function slugOf(text: string): string {
  return string
    .slug(text, { lower: true, strict: true })
    .replace(/[^a-z0-9-]/g, '')
    .slice(0, 80)
}
