import type { HttpContext } from '@adonisjs/core/http'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import { Problem } from '#crud'
import type { KeyValue } from '#base/columns/key'
import { PageNotFound } from '../errors.js'
import type { ModelView } from '../model_view.js'

export interface FoundRecord {
  key: KeyValue
  record: LucidRow
}

/**
 * The record, deleted or not, whose key is in the path.
 *
 * @param view  as the signed-in user's roles leave it
 * @throws PageNotFound  if it does not exist, at least not for the user
 * @throws Problem 403   when the policy refuses to read it
 */
export async function findRecord(ctx: HttpContext, view: ModelView): Promise<FoundRecord> {
  const key = keyIn(ctx.params, view)
  const record = await view.crud.find(key, { ...view.callOptions(ctx), deleted: 'include' })
  if (!record) throw new PageNotFound()
  return { key, record }
}

/**
 * @throws PageNotFound  for parameters that are not a key of the model
 */
export function keyIn(params: Record<string, string>, { resource }: ModelView): KeyValue {
  try {
    return resource.key.fromParams(params)
  } catch (error) {
    if (error instanceof Problem) throw new PageNotFound()
    throw error
  }
}
