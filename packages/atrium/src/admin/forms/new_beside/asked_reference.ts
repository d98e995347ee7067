import type { HttpContext } from '@adonisjs/core/http'
import { keyOf } from '#base/items'
import type { Item } from '#crud'
import type { AdminSite } from '../../admin_site.js'
import { cutText } from '../../list/cell.js'
import type { ModelView } from '../../model_view.js'
import { personal } from '../../permissions/may.js'
import { followed, referencesOf, type Reference } from '../../relations/references.js'
import type { AskedReference } from '../kept/kept_form.js'

/** Name of the button *New ...* in a form; its value is that of `writeAsked`. [R5] */
export const NEW = '__new'

/**
 * `items.0.product_id@OrderItem.product_id`: an input of a form, and the reference that it is for.
 */
export function writeAsked({ input, model, field }: AskedReference): string {
  return `${input}@${model}.${field}`
}

/**
 * @returns null for another text
 */
export function readAsked(text: string): AskedReference | null {
  const [, input, model, field] = /^([\w.]{1,200})@(\w{1,200})\.(\w{1,200})$/.exec(text) ?? []
  return field === undefined ? null : { input, model, field }
}

/**
 * A reference by its names, as the signed-in user may follow it; null where they may not, or there is none.
 */
export async function askedReference(
  ctx: HttpContext,
  site: AdminSite,
  { model, field }: Pick<AskedReference, 'model' | 'field'>
): Promise<Reference | null> {
  const named = site.models.get(model)
  const view = named?.admits(ctx) ? await personal(ctx, named) : null
  if (!view || !(view.may('create') || view.may('update'))) return null
  if (!view.resource.isLoaded) await view.resource.load()
  const reference = referencesOf(site, view).find(({ column }) => column.apiName === field)
  return reference ? await followed(ctx, reference) : null
}

/**
 * The new record as a choice of the reference.
 *
 * @returns null for another model's, and for one that the user does not see
 */
export function chosen(
  reference: Reference | null,
  view: ModelView,
  item: Item | undefined
): { value: string; label: string } | null {
  if (!reference || reference.view.base !== view.base || !item) return null
  const index = reference.view.resource.key.columns.indexOf(reference.target)
  const value = keyOf(item)?.[index] ?? item[reference.target.apiName]
  if (value === undefined || value === null) return null
  return { value: String(value), label: cutText(view.titleOf(item)) }
}
