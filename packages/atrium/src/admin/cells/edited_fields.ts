import type { HttpContext } from '@adonisjs/core/http'
import type { Item } from '#crud'
import { keyOf, noteKey } from '#base/items'
import type { KeyValue } from '#base/columns/key'
import type { Site } from '../views/site.js'
import type { FormField } from '../forms/fields/form_field.js'
import { formFields } from '../forms/fields/form_fields.js'
import { Widget } from '../views/widget.js'
import { FormWidget } from '../forms/fields/widgets/form_widget.js'
import type { ModelView } from '../views/model_view.js'
import type { ListParameters } from '../list/list_parameters.js'

const known = new WeakMap<ModelView, ReadonlyMap<string, FormField>>()

/**
 * Returns the fields of the update form that can be edited in list cells, by API name: fields with a single value and
 * a single input that the list shows. Empty if every update requires a value that no page shows.
 *
 * @param view  the view, limited by the user's roles; its resource must be loaded
 */
export function editedFields(site: Site, view: ModelView): ReadonlyMap<string, FormField> {
  let fields = known.get(view)
  if (!fields) {
    const all = formFields(site, view, 'update')
    const isWhole = all.every((field) => !field.required || isStored(field))
    const edited = isWhole ? all.filter(fitsCell) : []
    known.set(view, (fields = new Map(edited.map((field) => [field.name, field]))))
  }
  return fields
}

function isStored({ column, hidden }: FormField): boolean {
  return column !== undefined && !hidden
}

function fitsCell(field: FormField): boolean {
  const { widget, valueType, multiple, secret } = field
  if (!isStored(field) || multiple || secret || valueType === 'json' || valueType === 'file') {
    return false
  }
  if (widget instanceof FormWidget) return widget.cellControl !== undefined
  /* A widget with a stylesheet or several inputs only works in a form. */
  return !(widget instanceof Widget) || !(widget.sheet || widget.isGroup || widget.collect)
}

/**
 * Returns the items of a list page, including the given record even if it no longer belongs to the page.
 *
 * @returns the items and the index of the record; null if the user can't see it
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
