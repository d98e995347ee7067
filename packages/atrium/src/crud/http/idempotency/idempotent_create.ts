import { strongTag } from '#base/http/etag'
import type { CreatedAnswer } from './created_answer.js'
import { IdempotentWrite, type ReplayContext } from './idempotent_write.js'
import { shownAgain } from './shown_again.js'

/**
 * Creates that happen once. [Q7]
 */
export class IdempotentCreate extends IdempotentWrite<CreatedAnswer> {
  /** The stored response is not repeated to a caller who can no longer create or see the item. */
  protected async shown(answer: CreatedAnswer, context: ReplayContext): Promise<CreatedAnswer> {
    const { client, options, records } = context
    const mayRead =
      !answer.key || (await records.authorizeAgain('create', answer.key, client, options))
    if (!mayRead) return { ...answer, body: 'null', tag: undefined }
    const body = await shownAgain(answer.body, answer.key, context)
    return body === answer.body ? answer : { ...answer, body, tag: answer.tag && strongTag(body) }
  }
}
