import type { TransactionClientContract } from '@adonisjs/lucid/types/database'
import { Problem } from '#crud'
import {
  identityOfKey,
  putExactly,
  RecordNotAsLeft,
  removeAddedRows,
  revertPivots,
  type RevertOptions,
} from '#crud/internals'
import { notAsLeft } from './not_as_left.js'
import { creationsInOrder } from './undo_order.js'
import type { UndoStep } from './undo_step.js'

/**
 * The writes of an undo, in an order that foreign keys allow.
 */
export class UndoRun {
  #current: UndoStep

  /**
   * @param options  of a transaction in which all records are as the event left them
   */
  constructor(
    private readonly steps: readonly UndoStep[],
    private readonly options: RevertOptions & { whole: TransactionClientContract }
  ) {
    this.#current = steps[0]
  }

  /** The step that is being done, or has failed */
  get current(): UndoStep {
    return this.#current
  }

  /**
   * @throws UndoRefused
   * @throws Problem 403 or 409, or an error of the driver
   */
  async perform(): Promise<void> {
    const { whole } = this.options
    for (const { reversal } of this.steps) await removeAddedRows(reversal.pivots, whole)
    await this.#createAgain()
    for (const step of this.steps) {
      if (step.operation !== 'create' && step.reversal.before !== null) await this.#revert(step)
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

  /** A record that another one of the event refers to goes after it. */
  async #remove(): Promise<void> {
    let left = this.steps.filter(({ reversal }) => {
      return reversal.before === null && reversal.left !== null
    })
    while (left.length > 0) {
      const kept: UndoStep[] = []
      let refusal: unknown
      for (const step of left.toReversed()) {
        try {
          await this.#revert(step)
        } catch (error) {
          if (!(error instanceof Problem) || error.status !== 409) throw error
          refusal = error
          kept.unshift(step)
        }
      }
      if (kept.length === left.length) return await this.#removeCircle(kept, refusal)
      left = kept
    }
  }

  /**
   * Records that refer to each other go with one another.
   *
   * @param refusal  of a record that others refer to, too
   */
  async #removeCircle(steps: readonly UndoStep[], refusal: unknown): Promise<void> {
    const removed = new Set(steps.map(({ key, target }) => identityOfKey(target.resource, key)))
    if (steps.length < 2) throw refusal
    /* A record that the database deletes with another one is deleted without a check. */
    for (const step of steps) await this.#revert(step, { isTrial: true })
    for (const step of steps) await this.#revert(step, { removed })
  }

  async #revert(step: UndoStep, more: RevertOptions = {}): Promise<void> {
    this.#current = step
    try {
      await step.target.crud.revert(step.key, step.reversal, { ...this.options, ...more })
    } catch (error) {
      throw error instanceof RecordNotAsLeft ? notAsLeft([step]) : error
    }
  }
}
