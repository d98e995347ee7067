import type { HttpContext } from '@adonisjs/core/http'
import logger from '@adonisjs/core/services/logger'
import type { QueryClientContract, TransactionClientContract } from '@adonisjs/lucid/types/database'
import type { Column } from '#base/columns/column'
import type { Actor } from '#crud'
import type { Origin } from '#base/types'
import { afterOutermostCommit } from '#base/database/outermost_commit'
import { dialectOf } from '#base/database/dialects'
import { errorToProblem, gatherWrites } from '#crud/internals'
import { inTransaction } from '#base/database/transaction'
import { fileColumnsOf } from '../forms/files/file_fields.js'
import { filesIn } from '../forms/files/file_owners.js'
import { dropFiles } from '../forms/files/file_store.js'
import type { ModelView } from '../views/model_view.js'
import { adminActor, undoingOrigin } from '../identity/admin_actor.js'
import type AdminEventLog from '../models/admin_event_log.js'
import { type UndoStep, changedRefusal, changedSteps } from './undo_step.js'
import { UndoRun } from './undo_run.js'
import { clientOf } from './undo_plan.js'

/** Files that possibly no record refers to after an undo. */
interface LeftFiles {
  view: ModelView
  keys: readonly string[]
}

/**
 * Returns the files of a row that an undo step replaces, so that they can be removed afterwards.
 *
 * @param row  the current row
 */
function filesOf({ reversal, target }: UndoStep, row: Record<string, unknown>): LeftFiles[] {
  const { view } = target
  if (!view) return []
  const isTaken = ({ name }: Column) => reversal.before === null || name in reversal.before
  const columns = fileColumnsOf(view.base).filter(isTaken)
  return [{ view, keys: columns.flatMap((column) => filesIn(column, row[column.name])) }]
}

/** Removes files that no record refers to. */
async function dropLeftFiles(files: readonly LeftFiles[]): Promise<void> {
  for (const { view, keys } of files) await dropFiles(view, keys)
}

/**
 * Undoes an event in one transaction, and logs it as one event that refers to the undone event.
 *
 * @param client  client of a transaction that the undo takes part in; default: a new transaction
 * @throws UndoRefused  if records have changed since the event; lists the records
 * @throws Problem 403 or 409
 */
export async function undoEvent(
  ctx: HttpContext,
  event: AdminEventLog,
  steps: readonly UndoStep[],
  client: QueryClientContract = clientOf(steps)
): Promise<void> {
  await undoSteps({ actor: adminActor(ctx), origin: undoingOrigin(ctx, event) }, steps, client)
}

/** The actor of an undo and the origin to log */
export interface UndoneBy {
  actor: Actor
  origin: Origin | undefined
}

/**
 * Undoes some records of an event in one transaction.
 *
 * @param client  client of a transaction that the undo takes part in, or of the database
 * @param isPart  true if other transactions undo the rest. The records are then logged in the order in which they
 *   were written, as an undo of the undo reverses that order.
 * @throws UndoRefused  if records have changed since the event; lists the records
 * @throws Problem 403 or 409
 */
export async function undoSteps(
  { actor, origin }: UndoneBy,
  steps: readonly UndoStep[],
  client: QueryClientContract,
  isPart = false
): Promise<void> {
  const model = isPart ? undefined : steps[0].target.resource.model
  let run: UndoRun | undefined
  try {
    await inTransaction(client, (transaction) =>
      gatherWrites(transaction, { model, actor, origin }, async () => {
        const changed = await changedSteps(steps, transaction)
        if (changed.length > 0) throw changedRefusal(changed)
        const files = await leftFiles(steps, transaction)
        const options = { client: transaction, whole: transaction, actor, origin }
        run = new UndoRun(steps, options)
        await run.perform()
        afterOutermostCommit(transaction, () => {
          dropLeftFiles(files).catch((error) => {
            logger.error({ err: error }, 'Files that an undo left could not be removed')
          })
        })
      })
    )
  } catch (error) {
    const { target } = run?.current ?? steps[0]
    throw (await errorToProblem(error, target.resource, undefined, client)) ?? error
  }
}

async function leftFiles(
  steps: readonly UndoStep[],
  client: TransactionClientContract
): Promise<LeftFiles[]> {
  const files: LeftFiles[] = []
  for (const step of steps) {
    const { resource, view } = step.target
    if (!view || step.reversal.left === null || fileColumnsOf(view.base).length === 0) continue
    const where = [resource.key.is(step.key, dialectOf(client))]
    const [row] = await resource.base.reader.rows(client, { where, limit: 1 })
    if (row) files.push(...filesOf(step, row))
  }
  return files
}
