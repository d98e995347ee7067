import type { HttpContext } from '@adonisjs/core/http'
import { headerOf } from '#base/http/request'
import { malformedHeader, keysUnsupported } from '#base/http/problems'
import { replyText } from './reply.js'
import type { KeyValue } from '#base/columns/key'
import { writeJson, numberOrDigits, parseJson } from '#base/values/json'
import { pickFields } from '#base/columns/fields'
import type { Resource } from '../resource/resource.js'
import type { Item } from '../types.js'
import { crudConfig } from '../settings.js'
import encryption from '@adonisjs/core/services/encryption'
import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import { ANONYMOUS } from '#base/actor'
import { errorToProblem } from '../operations/writes/error_to_problem.js'
import { RuntimeError } from '#base/errors'
import type { CallOptions } from '../operations/call_options.js'
import { Records } from '../operations/records.js'
import { inTransactionOf } from './request_transaction.js'
import { fingerprintOf, identityOf } from '#base/identity'
import { StoredResponses, type Claim } from '#base/http/stored_responses'
import { strongTag } from '#base/http/etag'

const NAME = 'Idempotency-Key'
const MOST_CHARACTERS = 255

/** A string of RFC 9651, in which a backslash escapes quotes and backslashes. */
const QUOTED = /^"((?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\])*)"$/
/** The form without quotes that many clients send: a UUID, base64, a number */
const BARE = /^[\w!#$%&'*+\-.^`|~:/=]+$/

/**
 * Returns the `Idempotency-Key` of a request, if present. The key is the same with and without quotes.
 *
 * @throws Problem 400
 */
export function idempotencyKeyOf({ request }: HttpContext): string | undefined {
  const header = headerOf(request, NAME)
  if (header === undefined) return undefined
  const key = parseKey(header.trim())
  if (key === undefined || key === '' || key.length > MOST_CHARACTERS) {
    throw malformedHeader(
      NAME,
      `it must be one key of 1 to ${MOST_CHARACTERS} characters in quotes, as in "8e03978e-40d5-43e8-bc93-6894a57f9324"`
    )
  }
  return key
}

function parseKey(text: string): string | undefined {
  if (BARE.test(text)) return text
  return QUOTED.exec(text)?.[1].replace(/\\(.)/g, '$1')
}

/** The parts of a create's response that are needed to repeat it. */
export interface CreatedResponse {
  /** The item as JSON */
  body: string
  /** Path of the item, if it can be read */
  location?: string
  /** Entity tag of the item */
  tag?: string
  /** The item's key, if `LucidCrud` created it */
  key?: readonly unknown[]
}

/** Sends 201 with the item. */
export function replyCreated(ctx: HttpContext, { body, location, tag }: CreatedResponse): void {
  if (location) ctx.response.header('location', location)
  if (tag) ctx.response.header('etag', tag)
  ctx.response.status(201)
  replyText(ctx, body)
}

/** An item that a batch has written. */
export interface WrittenItem {
  /** The item as JSON; `null` for a caller who cannot read it */
  body: string
  /** Key of the item, if `LucidCrud` wrote it */
  key?: KeyValue
}

/** The parts of a batch's response that are needed to repeat it. */
export interface BatchResponse {
  created: WrittenItem[]
  updated: WrittenItem[]
  /** Absent if nothing was upserted */
  upserted?: WrittenItem[]
  deleted: KeyValue[]
  /** True if the caller requested no items */
  isMinimal: boolean
}

/**
 * Sends 200 with the items and the deleted keys in the order of the request; 204 if the caller requested no content.
 *
 * @param isComposite  true if keys have several parts
 */
export function replyBatch(
  ctx: HttpContext,
  { created, deleted, isMinimal, updated, upserted }: BatchResponse,
  isComposite: boolean
): void {
  if (isMinimal) return ctx.response.status(204).send('')
  const list = (items: WrittenItem[]) => `[${items.map(({ body }) => body).join(',')}]`
  const keys = writeJson(isComposite ? deleted : deleted.map(([part]) => part))
  const others = upserted ? `"upserted":${list(upserted)},` : ''
  replyText(
    ctx,
    `{"created":${list(created)},"updated":${list(updated)},${others}"deleted":${keys}}`
  )
}

/**
 * Returns an item of a stored response without fields that have been hidden from the caller since then.
 *
 * @param body  the item as JSON
 * @param key   key of the item, if `LucidCrud` wrote it
 * @returns the item as JSON
 */
async function shownAgain(
  body: string,
  key: readonly unknown[] | undefined,
  { client, options, records, resource }: ReplayContext
): Promise<string> {
  if (!resource.projection || !key) return body
  const item = parseJson(body, numberOrDigits) as Item | null
  if (item === null) return body
  return writeJson(shownFields(item, await records.itemOf(key, client, options), resource))
}

function shownFields(item: Item, now: Item | null, resource: Resource): Item {
  const mixed = [...resource.mixedColumns.keys()].map(({ apiName }) => apiName)
  const shown = pickFields(item, resource.responseFields)
  /*
   * The current values replace these fields: application code may have computed the stored ones from values that are
   * hidden by now.
   */
  for (const { apiName, serialize } of resource.hidesColumns ? resource.fields : []) {
    if (serialize || resource.reader.form.serializesItself) shown[apiName] = now?.[apiName] ?? null
  }
  for (const name of mixed) {
    if (name in shown && (now === null || now[name] === null)) shown[name] = null
  }
  return shown
}

/** Runs the function that writes; stores its response if the request has a key. */
type Within<Result> = (store: () => Promise<Result>) => Promise<Result>

/** What is needed to check a stored response before it is repeated. */
interface ReplayContext {
  /** The resource as the caller is currently allowed to see it */
  resource: Resource
  records: Records
  client: QueryClientContract
  options: CallOptions
}

/**
 * Runs a write with an `Idempotency-Key` only once, and repeats the first response when the request is sent again. A
 * key belongs to one actor and one path. Only successful writes are stored; the response of a failed write is not
 * stored, so the request can be repeated.
 */
abstract class IdempotentWrite<Result extends object> {
  /** @param path  path of the requests */
  constructor(
    protected readonly resource: Resource,
    private readonly path: string
  ) {}

  /**
   * Returns the stored response, reduced to what its caller is currently allowed to see.
   *
   * @throws Problem 403  when the caller is no longer allowed to perform the write
   */
  protected abstract shown(response: Result, context: ReplayContext): Promise<Result>

  /**
   * Returns the response of `write`, or the stored response. Without a key, nothing is stored.
   *
   * @param optionsOf  returns the client and the actor
   * @param write      receives the function that stores the response
   * @throws Problem 400, 403, 409, 422 or 501, and the errors of `write`
   */
  async response(
    ctx: HttpContext,
    body: Record<string, unknown>,
    optionsOf: () => CallOptions,
    write: (within: Within<Result>) => Promise<Result>
  ): Promise<Result> {
    const key = idempotencyKeyOf(ctx)
    if (key === undefined) return await write((store) => store())

    const options = optionsOf()
    const client = options.client ?? this.resource.client()
    const { responses, id } = await this.#responsesFor(ctx, key, client, options)
    const begun = await responses.begin<Result>(id, fingerprintOf(body))
    if (!('claim' in begun)) return await this.#replay(ctx, begun, client, options)
    const claim = begun as Claim
    try {
      return await write((store) => this.#store(ctx, client, responses, claim, store))
    } catch (error) {
      await responses.release(claim)
      throw error
    }
  }

  async #responsesFor(
    ctx: HttpContext,
    key: string,
    client: QueryClientContract,
    { actor = ANONYMOUS }: CallOptions
  ) {
    try {
      const identity = identityOf(actor)
      if (!identity) {
        throw new RuntimeError(
          `${this.resource.name}: the authorizer's actor has no user or token with an id, so an Idempotency-Key cannot be assigned to a caller`
        )
      }
      const id = encryption.blindIndex([this.path, key, ...identity], 'idempotency key')
      return { id, responses: await StoredResponses.on(client, crudConfig().idempotency.hours) }
    } catch (error) {
      if (!(error instanceof RuntimeError)) throw error
      ctx.logger.error({ err: error }, error.message)
      throw keysUnsupported()
    }
  }

  async #replay(
    ctx: HttpContext,
    response: Result,
    client: QueryClientContract,
    options: CallOptions
  ): Promise<Result> {
    const resource = await this.resource.for(options.actor ?? ANONYMOUS, client)
    const records = new Records(resource)
    const shown = await this.shown(response, { resource, records, client, options })
    ctx.response.header('idempotency-replayed', 'true')
    return shown
  }

  async #store(
    ctx: HttpContext,
    client: QueryClientContract,
    responses: StoredResponses,
    claim: Claim,
    store: () => Promise<Result>
  ): Promise<Result> {
    try {
      return await inTransactionOf(ctx, client, async (transaction) => {
        const response = await store()
        await responses.complete(claim, response, transaction)
        return response
      })
    } catch (error) {
      /* After an error of the COMMIT, the item does not exist, so the error is explained for a new record. */
      const record = new this.resource.model() as LucidRow
      throw (await errorToProblem(error, this.resource, record, client)) ?? error
    }
  }
}

/** Creates that are executed only once. */
export class IdempotentCreate extends IdempotentWrite<CreatedResponse> {
  /** Returns the stored response, without the item if the caller is no longer allowed to read it. */
  protected async shown(
    response: CreatedResponse,
    context: ReplayContext
  ): Promise<CreatedResponse> {
    const { client, options, records } = context
    const mayRead =
      !response.key || (await records.authorizeAgain('create', response.key, client, options))
    if (!mayRead) return { ...response, body: 'null', tag: undefined }
    const body = await shownAgain(response.body, response.key, context)
    return body === response.body
      ? response
      : { ...response, body, tag: response.tag && strongTag(body) }
  }
}

/** Batches that are executed only once. */
export class IdempotentBatch extends IdempotentWrite<BatchResponse> {
  /** Reduces each item like the response to a single request. */
  protected async shown(response: BatchResponse, context: ReplayContext): Promise<BatchResponse> {
    const again = async (operation: 'create' | 'update', items: WrittenItem[]) => {
      const shown: WrittenItem[] = []
      for (const item of items) shown.push(await itemAgain(operation, item, context))
      return shown
    }
    return {
      ...response,
      created: await again('create', response.created),
      updated: await again('update', response.updated),
      ...(response.upserted && { upserted: await again('update', response.upserted) }),
    }
  }
}

async function itemAgain(
  operation: 'create' | 'update',
  { body, key }: WrittenItem,
  context: ReplayContext
): Promise<WrittenItem> {
  const { client, options, records } = context
  if (!key) return { body }
  const mayRead = await records.authorizeAgain(operation, key, client, options)
  return { body: mayRead ? await shownAgain(body, key, context) : 'null', key }
}
