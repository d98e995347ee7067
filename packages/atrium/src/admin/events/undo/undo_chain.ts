import type { AdminSite } from '../../admin_site.js'
import AdminEventLog from '../../models/admin_event_log.js'

/**
 * The event that an undo goes back to, through the undos of undos between them, and the number of these.
 */
export async function undoChain(
  { dbConfig }: Pick<AdminSite, 'dbConfig'>,
  event: AdminEventLog
): Promise<{ root: AdminEventLog | null; undos: number }> {
  const client = dbConfig.readingSession()
  let root: AdminEventLog | null = event
  let undos = 0
  for (; root?.details?.undoes; undos++) {
    root = await AdminEventLog.query({ client }).where('id', root.details.undoes).first()
  }
  return { root, undos }
}

/**
 * True for the undo of an event, and for the undo of its redo: what takes it back does the event again.
 */
export async function isUndo(
  site: Pick<AdminSite, 'dbConfig'>,
  event: AdminEventLog
): Promise<boolean> {
  const { undos } = await undoChain(site, event)
  return undos % 2 === 1
}

/** The label of the button that takes an event back: *Undo* or *Redo*. */
export async function undoLabel(
  site: Pick<AdminSite, 'dbConfig' | 'text'>,
  event: AdminEventLog
): Promise<string> {
  return site.text((await isUndo(site, event)) ? 'undo.redo' : 'undo.button')
}

/** The message of an undo or redo that was done. */
export async function undoMessage(
  site: Pick<AdminSite, 'dbConfig' | 'text'>,
  event: AdminEventLog,
  count: number
): Promise<string> {
  return site.text((await isUndo(site, event)) ? 'undo.redone' : 'undo.done', { count })
}
