import type { HttpContext } from '@adonisjs/core/http'
import { replyText } from '../reply.js'

/**
 * What a create answers with: enough to say it once more.
 */
export interface CreatedAnswer {
  /** The item, as JSON */
  body: string
  /** Where it can be read, if it can */
  location?: string
  /** Its entity tag */
  tag?: string
  /** Its key, as far as `LucidCrud` made it */
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
