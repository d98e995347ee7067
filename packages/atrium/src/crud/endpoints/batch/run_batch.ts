import type { TransactionClientContract } from '@adonisjs/lucid/types/database'
import { gatherWrites } from '../../events/write_scope.js'
import { answerLimits, type AnswerBudget } from '../../http/answer_budget.js'
import type { BatchAnswer, WrittenItem } from '../../http/idempotency/batch_answer.js'
import { batchAnswerTooLarge } from '#base/http/problems'
import type { CallOptions } from '../../operations/call_options.js'
import { nextEventLoopTurn } from '#base/event_loop'
import { isUnreadable, keyOf } from '#base/items'
import type { BatchOperation } from '../../operations/operation.js'
import type { KeyValue } from '#base/columns/key'
import type { Resource } from '../../resource/resource.js'
import type { Item } from '../../types.js'
import { writeJson } from '#base/values/json'
import type { Batch } from './batch.js'
import { BatchFaults } from './batch_faults.js'

/* Other requests run in between. */
const OPERATIONS_A_TURN = 10

/** The calls that single requests make, in the transaction of the batch. */
export interface BatchCalls {
  insert: (values: Record<string, unknown>) => Promise<Item>
  change: (
    key: KeyValue,
    values: Record<string, unknown>,
    returning: boolean
  ) => Promise<Item | null>
  remove: (key: KeyValue) => Promise<void>
}

interface RunOptions extends BatchCalls {
  resource: Resource
  callOptions: CallOptions
  budget: AnswerBudget
  /** True if the response shows the written items */
  returning: boolean
  /** True if the caller may read items */
  mayRead: boolean
}

/**
 * Runs a validated batch: creates, then updates, then deletions, each in its own savepoint, and each kind as
 * one action for events and the log. After an error the others are tried, so that theirs are reported too; the
 * caller then rolls its transaction back. [D4, E3]
 *
 * @throws Problem 403, 409, 413 or 422
 */
export async function runBatch(
  batch: Batch,
  transaction: TransactionClientContract,
  options: RunOptions
): Promise<BatchAnswer> {
  const { change, insert, mayRead, remove, resource, returning } = options
  const faults = new BatchFaults()
  const answer = new AnswerItems(options.budget, returning)
  const run = (operation: BatchOperation, count: number, write: (index: number) => Promise<void>) =>
    runAll(operation, count, write, { faults, resource, transaction, ...options.callOptions })

  await run('create', batch.create.length, async (index) => {
    const item = await insert(batch.create[index])
    answer.add(answer.created, isUnreadable(item) ? null : item, keyOf(item))
  })
  await run('update', batch.update.length, async (index) => {
    const { key, values } = batch.update[index]
    answer.add(answer.updated, await change(key, values, returning && mayRead), key)
  })
  await run('delete', batch.delete.length, (index) => remove(batch.delete[index]))
  faults.throwIfAny()
  const { created, updated } = answer
  return { created, updated, deleted: batch.delete, isMinimal: !returning }
}

interface ActionOptions extends Pick<CallOptions, 'actor' | 'origin'> {
  faults: BatchFaults
  resource: Resource
  transaction: TransactionClientContract
}

/** The operations of one kind. Once any has failed, nothing is logged: it will not have happened. */
async function runAll(
  operation: BatchOperation,
  count: number,
  write: (index: number) => Promise<void>,
  { actor, faults, origin, resource: { model }, transaction }: ActionOptions
): Promise<void> {
  if (count === 0 || faults.areTooMany) return
  try {
    await gatherWrites(transaction, { model, actor, origin }, async () => {
      for (let index = 0; index < count && !faults.areTooMany; index++) {
        if (index % OPERATIONS_A_TURN === 0) await nextEventLoopTurn()
        try {
          await write(index)
        } catch (error) {
          faults.addRefusal(operation, index, error)
        }
      }
      if (faults.areAny) throw FAILED
    })
  } catch (error) {
    if (error !== FAILED) throw error
  }
}

const FAILED = new Error('An operation of the batch has failed')

/** The items of the response, converted to JSON immediately: the values of 1,000 items could fill the memory. [A29] */
class AnswerItems {
  readonly created: WrittenItem[] = []
  readonly updated: WrittenItem[] = []
  #length = 0

  constructor(
    private readonly budget: AnswerBudget,
    private readonly returning: boolean
  ) {}

  add(list: WrittenItem[], item: Item | null | undefined, key: KeyValue | undefined): void {
    const body = this.returning ? writeJson(item ?? null) : 'null'
    const { answer } = answerLimits()
    this.#length += body.length
    if (this.#length > answer) throw batchAnswerTooLarge(answer)
    this.budget.reserveAtLeast(this.#length)
    list.push({ body, key })
  }
}
