import encryption from '@adonisjs/core/services/encryption'
import type { HttpContext } from '@adonisjs/core/http'
import type { QueryClientContract, TransactionClientContract } from '@adonisjs/lucid/types/database'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import { NOBODY } from '../../actor.js'
import { faultToProblem } from '../../database/fault_to_problem.js'
import { inTransaction } from '../../database/transaction.js'
import { RuntimeError } from '../../errors.js'
import { keysUnsupported } from '../problems.js'
import type { CallOptions } from '../../operations/call_options.js'
import { Records } from '../../operations/records.js'
import type { Resource } from '../../resource/resource.js'
import { pickFields } from '../../request/fields.js'
import type { Item } from '../../types.js'
import { numberOrDigits, parseJson, writeJson } from '../../values/json.js'
import { strongTag } from '../etag.js'
import type { CreatedAnswer } from './created_answer.js'
import { idempotencyKeyOf } from './idempotency_key.js'
import { fingerprintOf, identityOf } from './identity.js'
import { StoredAnswers, type Claim } from './stored_answers.js'

/** Runs the function that stores the item. */
type Within = (store: () => Promise<CreatedAnswer>) => Promise<CreatedAnswer>

const TRANSACTIONS = new WeakMap<HttpContext, TransactionClientContract>()

/** The transaction that stores the item and its answer, if the request has a key. */
export function transactionOf(ctx: HttpContext): TransactionClientContract | undefined {
  return TRANSACTIONS.get(ctx)
}

/**
 * Runs a create with an `Idempotency-Key` once, and repeats the first answer when it is sent again. A
 * key belongs to one actor and one path. Only successful creates are stored; a failed one leaves nothing
 * behind, and may be tried again. [Q7]
 */
export class IdempotentCreate {
  /** @param path  path of the resource's creates */
  constructor(
    private readonly resource: Resource,
    private readonly path: string
  ) {}

  /**
   * The answer of `create`, or the stored one. Without a key, `create` runs only in its own transaction.
   *
   * @param optionsOf  returns the client and the actor
   * @param create     is given the function that stores the item
   * @throws Problem 400, 403, 409, 422 or 501, and the errors of `create`
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

  /** The stored answer is not repeated to a caller who may no longer create or see the item. */
  async #replay(
    ctx: HttpContext,
    answer: CreatedAnswer,
    client: QueryClientContract,
    options: CallOptions
  ) {
    const resource = await this.resource.for(options.actor ?? NOBODY, client)
    const records = new Records(resource)
    const mayRead = !answer.key || (await records.authorizeAgain(answer.key, client, options))
    ctx.response.header('idempotency-replayed', 'true')
    if (!mayRead) return { ...answer, body: 'null', tag: undefined }
    if (!resource.projection || !answer.key) return answer
    return shownAnswer(answer, await records.itemOf(answer.key, client, options), resource)
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
      /* An error of the COMMIT is about an item that no longer exists. */
      const record = new this.resource.model() as LucidRow
      throw (await faultToProblem(error, this.resource, record, client)) ?? error
    } finally {
      TRANSACTIONS.delete(ctx)
    }
  }
}

/** Leaves out fields that have been hidden from the caller since then. [U3] */
function shownAnswer(answer: CreatedAnswer, now: Item | null, resource: Resource): CreatedAnswer {
  const item = parseJson(answer.body, numberOrDigits) as Item | null
  if (item === null) return answer
  const mixed = [...resource.mixedColumns.keys()].map(({ apiName }) => apiName)
  const shown = pickFields(item, resource.answer)
  /* Own code may have made them of what is hidden by now. */
  for (const { apiName, serialize } of resource.hidesColumns ? resource.fields : []) {
    if (serialize || resource.reader.serializesItself) shown[apiName] = now?.[apiName] ?? null
  }
  for (const name of mixed) {
    if (name in shown && (now === null || now[name] === null)) shown[name] = null
  }
  const body = writeJson(shown)
  if (body === answer.body) return answer
  return { ...answer, body, tag: answer.tag && strongTag(body) }
}
