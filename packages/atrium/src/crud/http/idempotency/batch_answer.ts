import type { HttpContext } from '@adonisjs/core/http'
import type { KeyValue } from '#base/columns/key'
import { writeJson } from '#base/values/json'
import { replyText } from '../reply.js'

/** An item that a batch has written. */
export interface WrittenItem {
  /** The item as JSON; `null` for a caller who cannot read it */
  body: string
  /** Its key, if `LucidCrud` wrote it */
  key?: KeyValue
}

/** The parts of a batch's response that are needed to send it again. */
export interface BatchAnswer {
  created: WrittenItem[]
  updated: WrittenItem[]
  deleted: KeyValue[]
  /** True if the caller requested no items */
  isMinimal: boolean
}

/**
 * 200 with the items and the deleted keys in the order of the request; 204 if the caller requested none. [D4]
 *
 * @param isComposite  true if keys have several parts
 */
export function replyBatch(
  ctx: HttpContext,
  { created, deleted, isMinimal, updated }: BatchAnswer,
  isComposite: boolean
): void {
  if (isMinimal) return ctx.response.status(204).send('')
  const list = (items: WrittenItem[]) => `[${items.map(({ body }) => body).join(',')}]`
  const keys = writeJson(isComposite ? deleted : deleted.map(([part]) => part))
  replyText(ctx, `{"created":${list(created)},"updated":${list(updated)},"deleted":${keys}}`)
}
