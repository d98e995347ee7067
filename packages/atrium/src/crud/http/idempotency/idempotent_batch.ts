import type { BatchAnswer, WrittenItem } from './batch_answer.js'
import { IdempotentWrite, type ReplayContext } from './idempotent_write.js'
import { shownAgain } from './shown_again.js'

/**
 * Batches that happen once. [Q7, D4]
 */
export class IdempotentBatch extends IdempotentWrite<BatchAnswer> {
  /** Each item is shown again as that of a single request would be. */
  protected async shown(answer: BatchAnswer, context: ReplayContext): Promise<BatchAnswer> {
    const again = async (operation: 'create' | 'update', items: WrittenItem[]) => {
      const shown: WrittenItem[] = []
      for (const item of items) shown.push(await itemAgain(operation, item, context))
      return shown
    }
    return {
      ...answer,
      created: await again('create', answer.created),
      updated: await again('update', answer.updated),
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
