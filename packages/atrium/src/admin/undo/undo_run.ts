import type { TransactionClientContract } from '@adonisjs/lucid/types/database'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import { fromStored } from '#base/values/stored_json'
import { Problem, type LucidCrud } from '#crud'
import { identityOf } from '#base/columns/key'
import { putExactly, revertPivots } from '#crud/internals'
import { removeAddedRows } from '#base/database/pivot_change'
import { inTransaction } from '#base/database/transaction'
import { RecordChangedSince } from '#base/errors'
import { NotAllowed } from '../http/errors.js'
import { type UndoStep, changedRefusal } from './undo_step.js'
import { KEYS_PER_CONDITION } from '#base/chunks'

/**
 * A record to restore, and the columns that are set later because they refer to records that are restored after it.
 */
export interface Creation {
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
export class UndoRun {
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
