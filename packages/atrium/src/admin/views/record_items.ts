import type { LucidRow } from '@adonisjs/lucid/types/model'
import type { Item } from '#crud'
import { noteKey } from '#base/items'
import type { KeyValue } from '#base/columns/key'
import type { ModelView } from './model_view.js'

/**
 * Returns the item of a record with its key, limited to what the user can see.
 *
 * @param view  the view, limited by the user's roles
 */
export function itemOf(view: ModelView, record: LucidRow): Item {
  const item = view.resource.reader.form.toItem(record)
  return noteKey(item, view.resource.key.of(record))
}

/** Returns true if the record is soft-deleted. */
export function isDeletedRecord({ resource }: ModelView, record: LucidRow): boolean {
  return resource.softDelete?.marks(record as unknown as Record<string, unknown>) ?? false
}

/** Returns true if the item is soft-deleted; false if the marking column is not among its fields. */
export function isDeletedItem({ resource }: ModelView, item: Item): boolean {
  const { flag, timestamp } = resource.softDelete ?? {}
  return Boolean(item[(flag ?? timestamp)?.apiName ?? ''])
}

/**
 * Parses the key of a logged record. The resource must be loaded.
 *
 * @param id  key in the format of URL paths, without the leading slash
 * @returns an array with the key, or null if the text is not a key of this model
 */
export function readKey({ resource }: Pick<ModelView, 'resource'>, id: string): [KeyValue] | null {
  const { key } = resource
  const parts = id.split('/')
  if (parts.length !== key.columns.length) return null
  try {
    const named = key.params.map((name, index) => [name, decodeURIComponent(parts[index])])
    return [key.fromParams(Object.fromEntries(named))]
  } catch {
    return null
  }
}

/** Maximum value of the `id` columns of the site's tables */
export const LARGEST_ID = 2 ** 31 - 1

/**
 * Parses the id of a row of the site's tables from a URL, a form or the payload of a job.
 *
 * @returns null for a value that cannot be an id
 */
export function rowId(value: unknown): number | null {
  const id = /^[1-9]\d{0,9}$/.test(String(value)) ? Number(value) : 0
  return id > 0 && id <= LARGEST_ID ? id : null
}
