import type { HttpContext } from '@adonisjs/core/http'
import type { ModelView } from '../model_view.js'
import { may } from '../permissions/may.js'
import type { FormFailure } from './submission/form_failure.js'

/**
 * The button *Restore it* of a form that was refused because a deleted record has the same unique value.
 *
 * @param from  address of the form
 * @returns null without such a record, and for users who cannot restore it
 */
export async function restoreOffer(
  ctx: HttpContext,
  view: ModelView,
  failure: FormFailure | undefined,
  from: string
) {
  const { deleted } = failure ?? {}
  if (!deleted) return null
  const { key } = view.resource
  const parts = key.columns.map(({ apiName }) => deleted[apiName])
  const options = { ...view.callOptions(ctx), deleted: 'only' as const }
  const record = await view.crud.find(key.isComposite ? parts : parts[0], options)
  if (!record || !(await may(ctx, view, 'restore', record))) return null
  const path = key.toPath(key.of(record))
  return {
    url: view.url('/form_bulk_delete'),
    id: path.slice(1),
    next: view.url(`/update${path}`),
    from,
  }
}
