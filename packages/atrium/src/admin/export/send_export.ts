import { finished, PassThrough } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import type { HttpContext } from '@adonisjs/core/http'
import type { Item } from '#crud'
import { responseBudgetOf } from '#crud/internals'
import { beginSnapshot, type Snapshot } from '#base/database/snapshot'
import { readFirstBatches, takeExportSlot, withFirstBatches } from '#base/http/export_slots'
import type { Site } from '../views/site.js'
import { MEDIA_TYPES } from '../sheets/file_shape.js'
import type { ExportChoice } from './export_choice.js'
import { logExport, fileName, writeExport } from './write_export.js'
import type { ExportedList } from './exported_list.js'

/** Returns the same batches, and reads the next one while the current one is used. */
export async function* readAhead<Batch>(
  batches: AsyncGenerator<Batch, void>
): AsyncGenerator<Batch, void> {
  let next = batches.next()
  try {
    for (;;) {
      const { done, value } = await next
      if (done) return
      next = batches.next()
      /* The error of the next batch, if any, is thrown when it is awaited. */
      next.catch(() => {})
      yield value
    }
  } finally {
    await next.catch(() => {})
    await batches.return()
  }
}

/** Timeout in milliseconds for a client that does not receive data */
const STALLED = 60_000

interface Sending {
  ctx: HttpContext
  site: Site
  list: ExportedList
  choice: ExportChoice
}

/**
 * Streams an export while it is read from one snapshot, which ends with the response. An error before the first chunk
 * is handled like other errors. A later error ends the connection, so that an incomplete file is not mistaken for a
 * complete one.
 *
 * @param most  maximum number of records
 * @returns null once the response has begun; otherwise there are too many records, and `count` is their number, if
 *   known
 * @throws Problem 503  while too many exports are being streamed
 */
export async function sendExport(
  sending: Sending,
  most: number
): Promise<{ count: number | null } | null> {
  const { ctx, list } = sending
  const snapshot = await beginSnapshot(list.view.client())
  let giveBack = () => {}
  const end = () => {
    snapshot.end()
    giveBack()
  }
  try {
    const count = await list.count(snapshot.client)
    if (count === null || count > most) {
      end()
      return { count }
    }
    const batches = readAhead(list.batches(snapshot.client))
    const start = await readFirstBatches(batches)
    const all = withFirstBatches(start, batches)
    if (start.isWhole) {
      await sendWhole(sending, all, snapshot)
      end()
      return null
    }
    giveBack = takeExportSlot(ctx, list.view.callOptions(ctx).actor)
    begin(sending, all, snapshot, end)
    return null
  } catch (error) {
    end()
    throw error
  }
}

/** Sends a small export, which holds no connection while it is sent, and does not count as a streamed export. */
async function sendWhole(
  { ctx, site, list, choice }: Sending,
  batches: AsyncGenerator<Item[], void>,
  { client }: Snapshot
): Promise<void> {
  const output = new PassThrough()
  const progress = { count: 0 }
  const source = { columns: list.columns, batches, ctx, client }
  const writing = writeExport(source, choice, output, progress)
  writing.catch((error) => output.destroy(error))
  const [content] = await Promise.all([buffer(output), writing])
  responseBudgetOf(ctx).reserveAtLeast(content.length)
  sendHeaders(ctx, list, choice)
  ctx.response.send(content)
  const { response } = ctx.response
  finished(response, () => {
    const isInterrupted = !response.writableFinished
    logExport(ctx, site, list, choice, { count: progress.count, isInterrupted })
  })
}

/** Sends the headers, and starts writing. */
function begin(
  { ctx, site, list, choice }: Sending,
  batches: AsyncGenerator<Item[], void>,
  { client }: Snapshot,
  end: () => void
): void {
  const { response } = ctx.response
  const output = new PassThrough()
  sendHeaders(ctx, list, choice)
  /* Settles when the response ends: sent, aborted by the client, or failed. */
  const left = new Promise<void>((resolve) => finished(response, () => resolve())).then(
    () => void output.destroy()
  )
  response.setTimeout(STALLED, () => response.destroy())

  const progress = { count: 0 }
  const source = { columns: list.columns, batches, ctx, client }
  const writing = writeExport(source, choice, output, progress)
  writing.catch((error) => {
    if (output.destroyed) return
    ctx.logger.error({ err: error }, 'An export has failed midway')
    output.destroy(error)
  })
  /* If the client has disconnected, writing possibly never ends, so the snapshot ends with the connection. */
  Promise.race([writing, left])
    .catch(() => {})
    .finally(end)
  left.then(() =>
    logExport(ctx, site, list, choice, {
      count: progress.count,
      isInterrupted: !response.writableFinished,
    })
  )
  ctx.response.stream(output)
}

/** Sets the headers of the response. */
export function sendHeaders(
  { response }: HttpContext,
  { view }: ExportedList,
  { format }: ExportChoice
): void {
  const isText = format !== 'xlsx'
  response
    .header('content-type', MEDIA_TYPES[format] + (isText ? '; charset=utf-8' : ''))
    .header('content-disposition', `attachment; filename="${fileName(view, format)}"`)
}
