import type { HttpContext } from '@adonisjs/core/http'
import { queryOf } from '../../request/query_string.js'
import { checkWriteQuery } from '../../request/strict_query.js'
import type { KeyValue } from '#base/columns/key'
import { crudConfig } from '../../settings.js'

interface DeleteHandlerOptions {
  key: () => KeyValue
  /** Marks the item deleted, or removes it */
  remove: (key: KeyValue) => Promise<void>
}

/**
 * DELETE of one item, soft or for good. [A3]
 */
export async function handleDelete(
  ctx: HttpContext,
  { key, remove }: DeleteHandlerOptions
): Promise<null> {
  checkWriteQuery(queryOf(ctx), crudConfig())
  await remove(key())
  return null
}
