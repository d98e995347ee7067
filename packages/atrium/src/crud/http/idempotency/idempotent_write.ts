import { crudConfig } from '../../settings.js'
import encryption from '@adonisjs/core/services/encryption'
import type { HttpContext } from '@adonisjs/core/http'
import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import { NOBODY } from '#base/actor'
import { faultToProblem } from '../../operations/writes/fault_to_problem.js'
import { RuntimeError } from '#base/errors'
import { keysUnsupported } from '#base/http/problems'
import type { CallOptions } from '../../operations/call_options.js'
import { Records } from '../../operations/records.js'
import type { Resource } from '../../resource/resource.js'
import { inTransactionOf } from '../request_transaction.js'
import { idempotencyKeyOf } from './idempotency_key.js'
import { fingerprintOf, identityOf } from '#base/identity'
import { StoredAnswers, type Claim } from '#base/http/stored_answers'

/** Runs the function that writes. */
export type Within<Answer> = (store: () => Promise<Answer>) => Promise<Answer>

/** Checks a stored response before it is repeated. */
export interface ReplayContext {
  /** As the caller may see it by now */
  resource: Resource
  records: Records
  client: QueryClientContract
  options: CallOptions
}

/**
 * Runs a write with an `Idempotency-Key` once, and repeats the first response when it is sent again. A key
 * belongs to one actor and one path. Only successful writes are stored; a failed one leaves nothing
 * behind, and may be tried again. [Q7]
 */
export abstract class IdempotentWrite<Answer extends object> {
  /** @param path  path of the requests */
  constructor(
    protected readonly resource: Resource,
    private readonly path: string
  ) {}

  /**
   * The stored response, reduced to what its caller is currently allowed to see.
   *
   * @throws Problem 403  to a caller who can no longer do what was done
   */
  protected abstract shown(answer: Answer, context: ReplayContext): Promise<Answer>

  /**
   * The response of `write`, or the stored one. Without a key, `write` runs only in its own transaction.
   *
   * @param optionsOf  returns the client and the actor
   * @param write      is given the function that stores
   * @throws Problem 400, 403, 409, 422 or 501, and the errors of `write`
   */
  async answer(
    ctx: HttpContext,
    body: Record<string, unknown>,
    optionsOf: () => CallOptions,
    write: (within: Within<Answer>) => Promise<Answer>
  ): Promise<Answer> {
    const key = idempotencyKeyOf(ctx)
    if (key === undefined) return await write((store) => store())

    const options = optionsOf()
    const client = options.client ?? this.resource.client()
    const { answers, id } = await this.#placeOf(ctx, key, client, options)
    const begun = await answers.begin<Answer>(id, fingerprintOf(body))
    if (!('claim' in begun)) return await this.#replay(ctx, begun, client, options)
    const claim = begun as Claim
    try {
      return await write((store) => this.#store(ctx, client, answers, claim, store))
    } catch (error) {
      await answers.release(claim)
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
          `${this.resource.name}: the authorizer's actor has no user or token with an id, so an Idempotency-Key cannot be assigned to a caller`
        )
      }
      const id = encryption.blindIndex([this.path, key, ...identity], 'idempotency key')
      return { id, answers: await StoredAnswers.on(client, crudConfig().idempotency.hours) }
    } catch (error) {
      if (!(error instanceof RuntimeError)) throw error
      ctx.logger.error({ err: error }, error.message)
      throw keysUnsupported()
    }
  }

  async #replay(
    ctx: HttpContext,
    answer: Answer,
    client: QueryClientContract,
    options: CallOptions
  ): Promise<Answer> {
    const resource = await this.resource.for(options.actor ?? NOBODY, client)
    const records = new Records(resource)
    const shown = await this.shown(answer, { resource, records, client, options })
    ctx.response.header('idempotency-replayed', 'true')
    return shown
  }

  async #store(
    ctx: HttpContext,
    client: QueryClientContract,
    answers: StoredAnswers,
    claim: Claim,
    store: () => Promise<Answer>
  ): Promise<Answer> {
    try {
      return await inTransactionOf(ctx, client, async (transaction) => {
        const answer = await store()
        await answers.complete(claim, answer, transaction)
        return answer
      })
    } catch (error) {
      /* An error of the COMMIT is about an item that no longer exists. */
      const record = new this.resource.model() as LucidRow
      throw (await faultToProblem(error, this.resource, record, client)) ?? error
    }
  }
}
