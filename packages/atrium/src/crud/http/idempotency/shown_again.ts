import { pickFields } from '#base/columns/fields'
import type { Resource } from '../../resource/resource.js'
import type { Item } from '../../types.js'
import { numberOrDigits, parseJson, writeJson } from '#base/values/json'
import type { ReplayContext } from './idempotent_write.js'

/**
 * An item of a stored response without the fields that have been hidden from the caller since then. [U3]
 *
 * @param body  the item as JSON
 * @param key   its key, if `LucidCrud` wrote it
 * @returns as JSON
 */
export async function shownAgain(
  body: string,
  key: readonly unknown[] | undefined,
  { client, options, records, resource }: ReplayContext
): Promise<string> {
  if (!resource.projection || !key) return body
  const item = parseJson(body, numberOrDigits) as Item | null
  if (item === null) return body
  return writeJson(shownFields(item, await records.itemOf(key, client, options), resource))
}

function shownFields(item: Item, now: Item | null, resource: Resource): Item {
  const mixed = [...resource.mixedColumns.keys()].map(({ apiName }) => apiName)
  const shown = pickFields(item, resource.answer)
  /* Own code may have made them of what is hidden by now. */
  for (const { apiName, serialize } of resource.hidesColumns ? resource.fields : []) {
    if (serialize || resource.reader.serializesItself) shown[apiName] = now?.[apiName] ?? null
  }
  for (const name of mixed) {
    if (name in shown && (now === null || now[name] === null)) shown[name] = null
  }
  return shown
}
