import { nextEventLoopTurn } from '#base/event_loop'
import { writeJson } from '#base/values/json'
import { responseLimits, responseBudgetOf, SMALL_RESPONSE } from './response_budget.js'
import {
  TagDigest,
  matchesStrongly,
  matchesWeakly,
  parseTags,
  strongTag,
  weakTag,
} from '#base/http/etag'
import { preconditionUnreadable } from '#base/http/access_problems'
import { responseTooLarge, preconditionFailed } from '#base/http/problems'
import type { HttpContext } from '@adonisjs/core/http'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import { hasIncludes, fullItemOf } from '#base/items'
import type { Resource } from '../resource/resource.js'
import type { Actor, Item } from '../types.js'
import { headerOf } from '#base/http/request'
import { replyPieces, replyText } from './reply.js'

/** Number of characters to write before other requests can run */
const PIECE = 256 * 1024

/*
 * Levels of a response that are written in pieces: response, list, item, included items. Deeper values are written in
 * one piece.
 */
const DEEPEST = 4

/**
 * Writes a long response as JSON in pieces, so that other requests do not have to wait. The pieces are Buffers, which
 * are stored outside the heap.
 *
 * @param value  a JSON value
 * @throws Problem 413  when the JSON, which is longer than the values because of escapes, exceeds the limit of a
 *   response
 */
export async function writeJsonPieces(
  value: unknown
): Promise<{ pieces: Buffer[]; bytes: number; digest: TagDigest }> {
  const { response } = responseLimits()
  const digest = new TagDigest()
  const pieces: Buffer[] = []
  let bytes = 0
  let text = ''
  const flush = () => {
    const piece = Buffer.from(text)
    text = ''
    bytes += piece.length
    if (bytes > LONGER * response) throw responseTooLarge(response)
    digest.update(piece)
    pieces.push(piece)
  }
  for (const part of partsOf(value, DEEPEST)) {
    text += part
    if (text.length < PIECE) continue
    flush()
    await nextEventLoopTurn()
  }
  flush()
  return { pieces, bytes, digest }
}

/** Factor by which names, quotes and escapes can make JSON longer than its values. */
const LONGER = 2

/** Yields texts that together form the JSON of the value. */
function* partsOf(value: unknown, levels: number): Generator<string, void> {
  if (levels > 0 && Array.isArray(value)) {
    let before = '['
    for (const one of value) {
      yield before
      yield* partsOf(one, levels - 1)
      before = ','
    }
    yield before === '[' ? '[]' : ']'
  } else if (levels > 0 && holdsLists(value)) {
    let before = '{'
    for (const [name, inner] of Object.entries(value)) {
      if (inner === undefined || typeof inner === 'function' || typeof inner === 'symbol') continue
      yield `${before}${JSON.stringify(name)}:`
      yield* partsOf(inner, levels - 1)
      before = ','
    }
    yield before === '{' ? '{}' : '}'
  } else yield writeJson(value) ?? 'null'
}

function holdsLists(value: unknown): value is object {
  if (typeof value !== 'object' || value === null || 'toJSON' in value) return false
  return Object.values(value).some((one) => Array.isArray(one))
}

/** Size in bytes of values that take a few milliseconds to write as JSON */
const LARGE_RESPONSE = 512 * 1024

/** Number of characters that Node.js sends in one piece with the headers */
const SHORT_TEXT = 16 * 1024

const IF_MATCH = 'If-Match'
const IF_NONE_MATCH = 'If-None-Match'

/**
 * Responds to a read of one item with the item and its entity tag, or with 304 if the client has that version. With
 * included items, the tag is a weak one for the whole response. A response that the handler has already sent, or with
 * another status, is not changed.
 *
 * @throws Problem 400  for an unreadable header
 * @throws Problem 412
 */
export function replyItem(ctx: HttpContext, item: unknown): void | Promise<void> {
  if (hasIncludes(item)) return replyList(ctx, item)
  const whole = fullItemOf(item)
  replyTagged(ctx, item, (json) => strongTag(whole ? writeJson(whole) : json))
}

/** Responds to a read of a list with a weak entity tag for the whole response, or with 304. */
export function replyList(ctx: HttpContext, list: unknown): void | Promise<void> {
  if (responseBudgetOf(ctx).reserved > LARGE_RESPONSE) return replyInPieces(ctx, list)
  replyTagged(ctx, list, weakTag)
}

/**
 * Sets the entity tag of the item after a write, even if the response contains only a part of it: after a write, the
 * tag is that of the new state (RFC 9110, 8.8).
 */
export function noteTag({ response }: HttpContext, item: Item): void {
  response.header('etag', strongTag(writeJson(item)))
}

/** True if a write request has a precondition header for its record. */
export function hasPrecondition({ request }: HttpContext): boolean {
  const isRead = ['GET', 'HEAD'].includes(request.method())
  return !isRead && [IF_MATCH, IF_NONE_MATCH].some((name) => headerOf(request, name) !== undefined)
}

/**
 * Returns the precondition of a request for the record that it writes: `If-Match`, or `If-None-Match` with the tags
 * that must not match. The returned function must be called after the record is locked and the policy has allowed the
 * write, so that no other caller learns the version. A caller who cannot read the record is always refused, because
 * either result would reveal something about its content.
 *
 * @param actor    actor whose view of the record determines the tag
 * @param mayRead  returns true if the caller is allowed to read the record
 * @returns undefined if the request has no precondition
 */
export function preconditionOf(
  ctx: HttpContext,
  resource: Resource,
  actor: Actor,
  mayRead: (record: LucidRow) => Promise<boolean>
) {
  if (!hasPrecondition(ctx)) return undefined

  return async (record: LucidRow): Promise<void> => {
    /* An overridden handler can write other models with the same options: the headers do not apply to these. */
    if (!(record instanceof resource.model)) return
    if (!(await mayRead(record))) throw preconditionUnreadable()
    const { reader } = await resource.for(actor)
    const tag = strongTag(writeJson(reader.form.toItem(record)))
    checkMatch(ctx, tag)
    if (isNamed(ctx, tag)) throw preconditionFailed(IF_NONE_MATCH)
  }
}

function replyTagged(
  ctx: HttpContext,
  value: unknown,
  tagOf: (json: string | Buffer) => string
): void {
  if (value === undefined || ctx.response.hasLazyBody) return
  const json = encoded(writeJson(value))
  if (json.length > SMALL_RESPONSE) responseBudgetOf(ctx).reserveAtLeast(json.length)
  if (ctx.response.getStatus() !== 200) return replyText(ctx, json)

  const tag = tagOf(json)
  checkMatch(ctx, tag)
  ctx.response.header('etag', tag)
  if (isNamed(ctx, tag)) ctx.response.status(304).send('')
  else replyText(ctx, json)
}

/**
 * Returns a longer text as bytes, because it would otherwise be encoded for its digest, its length and the connection.
 */
function encoded(json: string): string | Buffer {
  return json.length > SHORT_TEXT ? Buffer.from(json) : json
}

/** Sends a response that is too long to be written in one piece. */
async function replyInPieces(ctx: HttpContext, value: unknown): Promise<void> {
  if (value === undefined || ctx.response.hasLazyBody) return
  const { pieces, bytes, digest } = await writeJsonPieces(value)
  responseBudgetOf(ctx).reserveAtLeast(bytes)
  if (ctx.response.getStatus() === 200) {
    const tag = digest.weakTag
    checkMatch(ctx, tag)
    ctx.response.header('etag', tag)
    if (isNamed(ctx, tag)) return ctx.response.status(304).send('')
  }
  replyPieces(ctx, pieces, bytes)
}

function checkMatch({ request }: HttpContext, tag: string): void {
  const header = headerOf(request, IF_MATCH)
  if (header !== undefined && !matchesStrongly(parseTags(IF_MATCH, header), tag)) {
    throw preconditionFailed(IF_MATCH)
  }
}

function isNamed({ request }: HttpContext, tag: string): boolean {
  const header = headerOf(request, IF_NONE_MATCH)
  return header !== undefined && matchesWeakly(parseTags(IF_NONE_MATCH, header), tag)
}
