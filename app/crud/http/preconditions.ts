import type { HttpContext } from '@adonisjs/core/http'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import { roomOf, SMALL_ANSWER } from './answer_room.js'
import { isMixture, wholeOf } from '../operations/item_parts.js'
import type { Resource } from '../resource/resource.js'
import type { Item } from '../types.js'
import { writeJson } from '../values/json.js'
import {
  matchesStrongly,
  matchesWeakly,
  parseTags,
  strongTag,
  tagOfRecord,
  weakTag,
} from './etag.js'
import { headerOf } from './header.js'
import { writeJsonPieces } from './json_pieces.js'
import { preconditionFailed, preconditionUnreadable } from './problems.js'
import { replyPieces, replyText } from './reply.js'

/** Bytes of values that are written as JSON in a few milliseconds */
const LARGE_ANSWER = 512 * 1024

const IF_MATCH = 'If-Match'
const IF_NONE_MATCH = 'If-None-Match'

/**
 * Answers a read of one item with its entity tag, or with 304 to who has it already; with other items
 * in it, the tag is a weak one over the whole answer. What a handler
 * answered by itself, or with a status of its own, stays as it is. [Q6]
 *
 * @throws Problem 400  for a header that can't be read
 * @throws Problem 412
 */
export function replyItem(ctx: HttpContext, item: unknown): void | Promise<void> {
  if (isMixture(item)) return replyList(ctx, item)
  const whole = wholeOf(item)
  replyTagged(ctx, item, (json) => strongTag(whole ? writeJson(whole) : json))
}

/**
 * The same for a list, whose entity tag is a weak one over the whole answer. [Q6]
 */
export function replyList(ctx: HttpContext, list: unknown): void | Promise<void> {
  if (roomOf(ctx).taken > LARGE_ANSWER) return replyInPieces(ctx, list)
  replyTagged(ctx, list, weakTag)
}

/**
 * Says which entity tag the item has that a write has left, whatever the answer holds of it: next to a
 * write, the tag is that of the new state (RFC 9110, 8.8). [Q6]
 */
export function noteTag({ response }: HttpContext, item: Item): void {
  response.header('etag', strongTag(writeJson(item)))
}

/**
 * Whether the headers of a write ask something of the record that it is going to write.
 */
export function hasPrecondition({ request }: HttpContext): boolean {
  const isRead = ['GET', 'HEAD'].includes(request.method())
  return !isRead && [IF_MATCH, IF_NONE_MATCH].some((name) => headerOf(request, name) !== undefined)
}

/**
 * What the headers of a request ask of the record that it is going to write: `If-Match`, or an
 * `If-None-Match` that names what must not be there. It is to be asked once the record is locked and
 * the policy has allowed the write, so that nobody else learns which version it has. Who may not read
 * the record is refused whatever the headers say: yes and no would both tell what it holds. [Q6]
 *
 * @param mayRead  whether the caller may read the record
 * @returns undefined if they ask nothing
 */
export function preconditionOf(
  ctx: HttpContext,
  resource: Resource,
  mayRead: (record: LucidRow) => Promise<boolean>
) {
  if (!hasPrecondition(ctx)) return undefined

  return async (record: LucidRow): Promise<void> => {
    /* An own handler may write other models by the same options: the headers mean none of those. */
    if (!(record instanceof resource.model)) return
    if (!(await mayRead(record))) throw preconditionUnreadable()
    const tag = tagOfRecord(resource, record)
    checkMatch(ctx, tag)
    if (isNamed(ctx, tag)) throw preconditionFailed(IF_NONE_MATCH)
  }
}

function replyTagged(ctx: HttpContext, value: unknown, tagOf: (json: string) => string): void {
  if (value === undefined || ctx.response.hasLazyBody) return
  const json = writeJson(value)
  if (json.length > SMALL_ANSWER) roomOf(ctx).hold(json.length)
  if (ctx.response.getStatus() !== 200) return replyText(ctx, json)

  const tag = tagOf(json)
  checkMatch(ctx, tag)
  ctx.response.header('etag', tag)
  if (isNamed(ctx, tag)) ctx.response.status(304).send('')
  else replyText(ctx, json)
}

/** The same for an answer that is too long to be written at once. */
async function replyInPieces(ctx: HttpContext, value: unknown): Promise<void> {
  if (value === undefined || ctx.response.hasLazyBody) return
  const { pieces, bytes, digest } = await writeJsonPieces(value)
  roomOf(ctx).hold(bytes)
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
