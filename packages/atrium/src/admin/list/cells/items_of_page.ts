import type { HttpContext } from '@adonisjs/core/http'
import type { Item } from '#crud'
import { keyOf, noteKey } from '#base/items'
import type { KeyValue } from '#base/columns/key'
import type { ModelView } from '../../model_view.js'
import type { ListParameters } from '../list_parameters.js'

/**
 * The items of a page of a list, with a record that may have left it.
 *
 * @returns the place of the record among them; null if the user does not see it
 */
export async function itemsOfPage(
  ctx: HttpContext,
  view: ModelView,
  key: KeyValue,
  parameters: ListParameters
): Promise<{ items: Item[]; place: number } | null> {
  const { crud, resource } = view
  const options = view.callOptions(ctx)
  const path = resource.key.toPath(key)
  try {
    const request = parameters.toRequest({ count: false })
    const { data: items } = await crud.getMulti(request, { ...options, keys: true })
    const place = items.findIndex((item) => resource.key.toPath(keyOf(item)!) === path)
    if (place >= 0) return { items, place }
    const item = await crud.get(key, { ...options, deleted: parameters.deleted })
    return item && { items: [...items, noteKey(item, key)], place: items.length }
  } catch (error) {
    if ((error as { status?: number }).status === 403) return null
    throw error
  }
}
