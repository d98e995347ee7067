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
 * Fields of the update form that are edited in the cells of the list, by API name: those with one value that the
 * list shows, and that a single input takes. A schema that wants a value that no page shows with every update
 * leaves none. [L10]
 *
 * @param view  as the user's roles leave it, its resource loaded
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
  /* A widget with a stylesheet or several inputs is made for a form. */
  return !(widget instanceof Widget) || !(widget.sheet || widget.isGroup || widget.collect)
}

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
