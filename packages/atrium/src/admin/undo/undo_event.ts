import type { HttpContext } from '@adonisjs/core/http'
import logger from '@adonisjs/core/services/logger'
import type { QueryClientContract, TransactionClientContract } from '@adonisjs/lucid/types/database'
import type { Column } from '#base/columns/column'
import { type Actor, Problem, type LucidCrud } from '#crud'
import type { Origin } from '#base/types'
import { afterOutermostCommit } from '#base/database/outermost_commit'
import { dialectOf } from '#base/database/dialects'
import { errorToProblem, gatherWrites, putExactly, revertPivots } from '#crud/internals'
import { inTransaction } from '#base/database/transaction'
import { fileColumnsOf } from '../forms/files/file_fields.js'
import { filesIn } from '../forms/files/file_owners.js'
import { dropFiles } from '../forms/files/file_store.js'
import type { ModelView } from '../views/model_view.js'
import { adminActor, undoingOrigin } from '../identity/admin_actor.js'
import type AdminEventLog from '../models/admin_event_log.js'
import { type UndoStep, changedRefusal, changedSteps, clientOf } from './undo_plan.js'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import { fromStored } from '#base/values/stored_json'
import { identityOf } from '#base/columns/key'
import { removeAddedRows } from '#base/database/pivot_change'
import { RecordChangedSince } from '#base/errors'
import { NotAllowed } from '../http/errors.js'
import { KEYS_PER_CONDITION } from '#base/chunks'

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

/**
 * A record to restore, and the columns that are set later because they refer to records that are restored after it.
 */
interface Creation {
  step: UndoStep
  postponed: ReadonlySet<string>
}

/**
 * Orders records to restore by their foreign keys: referenced records come first. In a cycle, one reference is set
 * after both records exist.
 */
export function creationsInOrder(steps: readonly UndoStep[]): Creation[] {
  const created = steps.filter(({ operation }) => operation === 'create')
  const byTable = Map.groupBy(created, ({ target }) => target.resource.table)
  const indexes = new Map<string, Map<string, UndoStep>>()
  const ordered: Creation[] = []
  const states = new Map<UndoStep, 'under way' | 'done'>()

  const referredBy = (step: UndoStep) =>
    step.target.resource.foreignKeys.flatMap(({ columns, references, table }) => {
      const id = JSON.stringify([table, references])
      let index = indexes.get(id)
      if (!index) {
        const others = byTable.get(table) ?? []
        index = new Map(others.map((other) => [valuesIn(other, references) ?? '', other]))
        indexes.set(id, index)
      }
      const values = valuesIn(step, columns)
      const other = values === null ? undefined : index.get(values)
      return other && other !== step ? [{ other, columns }] : []
    })

  /* Iterative instead of recursive, as a chain of references can be long. */
  for (const first of created) {
    const path: Array<{ step: UndoStep; left: ReturnType<typeof referredBy>; later: Set<string> }> =
      []
    const enter = (step: UndoStep) => {
      states.set(step, 'under way')
      path.push({ step, left: referredBy(step), later: new Set() })
    }
    if (!states.has(first)) enter(first)
    while (path.length > 0) {
      const { step, left, later } = path.at(-1)!
      const next = left.pop()
      if (!next) {
        states.set(step, 'done')
        ordered.push({ step, postponed: later })
        path.pop()
      } else if (states.get(next.other) === 'under way') {
        for (const name of next.columns) later.add(name)
      } else if (!states.has(next.other)) enter(next.other)
    }
  }
  return ordered
}

/**
 * Returns the steps in an order in which each can run in a transaction of its own, unless references form a cycle.
 */
export function inOrder(steps: readonly UndoStep[]): UndoStep[] {
  const created = creationsInOrder(steps).map(({ step }) => step)
  const others = steps.filter(({ operation }) => operation !== 'create')
  const [removed, changed] = [true, false].map((isRemoved) =>
    others.filter(({ reversal }) => (reversal.before === null) === isRemoved)
  )
  return [...created, ...changed, ...removed.toReversed()]
}

function valuesIn({ reversal }: UndoStep, names: readonly string[]): string | null {
  const values = names.map((name) => fromStored(reversal.before?.[name]))
  return values.includes(null) ? null : JSON.stringify(values.map(String))
}

type RevertOptions = NonNullable<Parameters<LucidCrud['revert']>[2]>

/** Performs the writes of an undo, in an order that foreign keys allow. */
class UndoRun {
  #current: UndoStep

  /** @param options  options of a transaction in which all records are verified to be unchanged since the event */
  constructor(
    private readonly steps: readonly UndoStep[],
    private readonly options: RevertOptions & { whole: TransactionClientContract }
  ) {
    this.#current = steps[0]
  }

  /** The step that is running or has failed */
  get current(): UndoStep {
    return this.#current
  }

  /**
   * Undoes the changes of all records.
   *
   * @throws UndoRefused  if a record has changed since the event
   * @throws Problem 403 or 409, or an error of the driver
   */
  async perform(): Promise<void> {
    const { whole } = this.options
    for (const { reversal } of this.steps) await removeAddedRows(reversal.pivots, whole)
    await this.#createAgain()
    const changed = this.steps.filter(
      ({ operation, reversal }) => operation !== 'create' && reversal.before !== null
    )
    for (const some of groupsOf(changed)) {
      this.#current = some[0]
      if (await some[0].target.crud.revertTogether(some, this.options)) continue
      const found = await this.#recordsOf(some)
      for (const step of some) await this.#revert(step, { located: locatedIn(found, step) })
    }
    await this.#remove()
    for (const step of this.steps) {
      const { key, reversal, target } = step
      this.#current = step
      await revertPivots(target.resource, key, reversal, whole, this.options)
    }
  }

  async #createAgain(): Promise<void> {
    const creations = creationsInOrder(this.steps)
    for (const { step, postponed } of creations) await this.#revert(step, { postponed })
    for (const { step, postponed } of creations) {
      const before = Object.entries(step.reversal.before!).filter(([name]) => postponed.has(name))
      if (before.length === 0) continue
      const values = Object.fromEntries(before)
      await putExactly(step.target.resource, step.key, values, this.options.whole)
    }
  }

  /** Removes the records that the event created. Records that others refer to are removed after those. */
  async #remove(): Promise<void> {
    let left = this.steps.filter(({ reversal }) => {
      return reversal.before === null && reversal.left !== null
    })
    if (left.length === 0 || (await this.#removeTogether(left.toReversed()))) return
    while (left.length > 0) {
      const stored: UndoStep[] = []
      let refusal: unknown
      for (const step of left.toReversed()) {
        try {
          await this.#revert(step)
        } catch (error) {
          if (!(error instanceof Problem) || error.status !== 409) throw error
          refusal = error
          stored.unshift(step)
        }
      }
      if (stored.length === left.length) return await this.#removeCircle(stored, refusal)
      left = stored
    }
  }

  /**
   * Removes the records in the order of the steps, without a savepoint for each. This works for most events.
   *
   * @returns false if nothing was removed and the records must be removed one by one
   */
  async #removeTogether(steps: readonly UndoStep[]): Promise<boolean> {
    try {
      await inTransaction(this.options.whole, async (whole) => {
        for (const some of groupsOf(steps)) {
          const found = await this.#recordsOf(some)
          for (const step of some) {
            const located = locatedIn(found, step)
            if (!located) throw new NotAllowed()
            await this.#revert(step, { client: whole, whole, joins: true, located })
          }
        }
      })
      return true
    } catch {
      /* Removing the records one by one finds the error of each. */
      return false
    }
  }

  /**
   * Removes records whose references form a cycle.
   *
   * @param refusal  error of a record that could not be removed
   */
  async #removeCircle(steps: readonly UndoStep[], refusal: unknown): Promise<void> {
    const removed = new Set(steps.map(({ key, target }) => target.resource.key.tablePath(key)))
    if (steps.length < 2) throw refusal
    /* Checked first, because records that the database deletes by a cascade would not be checked. */
    for (const step of steps) await this.#revert(step, { isDryRun: true })
    for (const step of steps) await this.#revert(step, { removed })
  }

  #recordsOf(steps: readonly UndoStep[]) {
    const { actor, whole: client } = this.options
    const keys = steps.map(({ key }) => key)
    return steps[0].target.crud.recordsToRevert(keys, { actor, client })
  }

  async #revert(step: UndoStep, more: RevertOptions = {}): Promise<void> {
    this.#current = step
    try {
      await step.target.crud.revert(step.key, step.reversal, { ...this.options, ...more })
    } catch (error) {
      throw error instanceof RecordChangedSince ? changedRefusal([step]) : error
    }
  }
}

/** Yields groups of consecutive steps of the same model, each small enough for one query. */
function* groupsOf(steps: readonly UndoStep[]): Generator<UndoStep[]> {
  for (let start = 0; start < steps.length;) {
    const { crud } = steps[start].target
    const rest = steps.slice(start, start + KEYS_PER_CONDITION)
    const other = rest.findIndex(({ target }) => target.crud !== crud)
    const some = other === -1 ? rest : rest.slice(0, other)
    yield some
    start += some.length
  }
}

function locatedIn(records: ReadonlyMap<string, LucidRow>, { key }: UndoStep) {
  return records.get(identityOf(key))
}
