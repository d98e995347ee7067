import encryption from '@adonisjs/core/services/encryption'
import type { HttpContext } from '@adonisjs/core/http'
import type { QueryClientContract, TransactionClientContract } from '@adonisjs/lucid/types/database'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import { NOBODY } from '../../actor.js'
import { faultToProblem } from '../../database/fault_to_problem.js'
import { inTransaction } from '../../database/transaction.js'
import { RuntimeError } from '../../errors.js'
import { keysUnsupported } from '../problems.js'
import type { CallOptions } from '../../lucid_crud.js'
import { Records } from '../../operations/records.js'
import type { Resource } from '../../resource/resource.js'
import type { CreatedAnswer } from './created_answer.js'
import { idempotencyKeyOf } from './idempotency_key.js'
import { fingerprintOf, identityOf } from './identity.js'
import { StoredAnswers, type Claim } from './stored_answers.js'

/** Runs what stores the item. */
type Within = (store: () => Promise<CreatedAnswer>) => Promise<CreatedAnswer>

const TRANSACTIONS = new WeakMap<HttpContext, TransactionClientContract>()

/**
 * The transaction that the item of the request and its answer are stored in, if it came with a key.
 */
export function transactionOf(ctx: HttpContext): TransactionClientContract | undefined {
  return TRANSACTIONS.get(ctx)
}

/**
 * Lets a create with an `Idempotency-Key` happen once: who sends it again is given the first answer.
 * A key belongs to one actor and one path. Only what was created is remembered; a create that failed
 * left nothing behind, and may be tried again. [Q7]
 */
export class OnlyOnce {
  /**
   * @param path  where the creates of the resource are sent
   */
  constructor(
    private readonly resource: Resource,
    private readonly path: string
  ) {}

  /**
   * The answer to a create: that of `create`, or the one that was given before. Without a key there is
   * no transaction around what `create` stores but its own.
   *
   * @param optionsOf  tells the client and the actor
   * @param create     is given what to store the item within
   * @throws Problem 400, 403, 409, 422 or 501, and what `create` throws
   */
  async answer(
    ctx: HttpContext,
    body: Record<string, unknown>,
    optionsOf: () => CallOptions,
    create: (within: Within) => Promise<CreatedAnswer>
  ): Promise<CreatedAnswer> {
    const key = idempotencyKeyOf(ctx)
    if (key === undefined) return await create((store) => store())

    const options = optionsOf()
    const client = options.client ?? this.resource.client()
    const { answers, id } = await this.#placeOf(ctx, key, client, options)
    const begun = await answers.begin(id, fingerprintOf(body))
    if (!('claim' in begun)) return await this.#replay(ctx, begun, client, options)
    try {
      return await create((store) => this.#store(ctx, client, answers, begun, store))
    } catch (error) {
      await answers.release(begun)
      throw error
    }
  }

  async #placeOf(
    ctx: HttpContext,
    key: string,
    client: QueryClientContract,
    { actor = NOBODY }: CallOptions
  ) {
    try {
      const identity = identityOf(actor)
      if (!identity) {
        throw new RuntimeError(
          `${this.resource.name}: the authorizer's actor has no user or token with an id, so nobody knows whose an Idempotency-Key is`
        )
      }
      const id = encryption.blindIndex([this.path, key, ...identity], 'idempotency key')
      return { id, answers: await StoredAnswers.on(client) }
    } catch (error) {
      if (!(error instanceof RuntimeError)) throw error
      ctx.logger.error({ err: error }, error.message)
      throw keysUnsupported()
    }
  }

  /** Who may no longer create or see the item is not told of it again. */
  async #replay(
    ctx: HttpContext,
    answer: CreatedAnswer,
    client: QueryClientContract,
    options: CallOptions
  ) {
    const mayRead =
      !answer.key || (await new Records(this.resource).askAgain(answer.key, client, options))
    ctx.response.header('idempotency-replayed', 'true')
    return mayRead ? answer : { ...answer, body: 'null', tag: undefined }
  }

  async #store(
    ctx: HttpContext,
    client: QueryClientContract,
    answers: StoredAnswers,
    claim: Claim,
    store: () => Promise<CreatedAnswer>
  ) {
    try {
      return await inTransaction(client, async (transaction) => {
        TRANSACTIONS.set(ctx, transaction)
        const answer = await store()
        await answers.complete(claim, answer, transaction)
        return answer
      })
    } catch (error) {
      /* What only the COMMIT refuses is about an item that is not there any more. */
      const record = new this.resource.model() as LucidRow
      throw (await faultToProblem(error, this.resource, record, client)) ?? error
    } finally {
      TRANSACTIONS.delete(ctx)
    }
  }
}
