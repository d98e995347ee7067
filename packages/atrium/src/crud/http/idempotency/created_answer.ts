import type { HttpContext } from '@adonisjs/core/http'
import { replyText } from '../reply.js'

/** The parts of a create's response that are needed to send it again. */
export interface CreatedAnswer {
  /** The item as JSON */
  body: string
  /** Path of the item, if it can be read */
  location?: string
  /** Its entity tag */
  tag?: string
  /** The item's key, if `LucidCrud` created it */
  key?: readonly unknown[]
}

/**
 * 201 with the item. [A1, Q6]
 */
export function replyCreated(ctx: HttpContext, { body, location, tag }: CreatedAnswer): void {
  if (location) ctx.response.header('location', location)
  if (tag) ctx.response.header('etag', tag)
  ctx.response.status(201)
  replyText(ctx, body)
}
