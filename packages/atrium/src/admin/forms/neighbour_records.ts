import type { HttpContext } from '@adonisjs/core/http'
import { LucidCrud } from '#crud'
import { neighbours, Records } from '#crud/internals'
import type { KeyValue } from '#base/columns/key'
import { withList } from '../list/read_list.js'
import type { ListParameters } from '../list/list_parameters.js'
import type { ModelView } from '../views/model_view.js'
import { mayEach } from '../permissions/may.js'
import { formUrl, recordUrl } from '../http/record_links.js'

/** How a record is opened: as a form, or read-only */
type Opening = 'update' | 'read'

/* Maximum number of consecutive records that are skipped because the user is not allowed to open them */
const MOST_SKIPPED = 1000

/**
 * Returns the URLs of the previous and next record in the list that the form was opened from; null if there is none.
 * Records that the user is not allowed to open are skipped.
 */
export async function neighbourRecords(
  ctx: HttpContext,
  view: ModelView,
  list: ListParameters,
  key: KeyValue,
  offer: Opening = 'update'
): Promise<{ previous: string | null; next: string | null }> {
  /* A custom `getMulti` may list other records, or in another order, so the neighbours are unknown. */
  const isPlain = view.crud.getMulti === LucidCrud.prototype.getMulti
  if (!isPlain || list.deleted === 'only') return { previous: null, next: null }
  const [previous, next] = await Promise.all([
    neighbour(ctx, view, list, key, 'before', offer),
    neighbour(ctx, view, list, key, 'after', offer),
  ])
  return { previous, next }
}

/**
 * Returns the URL of a neighbouring record; null if there is none. Errors are only logged, as the form works without
 * it.
 */
async function neighbour(
  ctx: HttpContext,
  view: ModelView,
  list: ListParameters,
  key: KeyValue,
  direction: 'before' | 'after',
  offer: Opening
): Promise<string | null> {
  try {
    const found = await openable(ctx, view, list, key, direction, offer)
    return found && withList(offer === 'read' ? recordUrl(view, found) : formUrl(view, found), list)
  } catch (error) {
    if ((error as { status?: number }).status !== 403) {
      ctx.logger.error({ err: error }, `${view.name}: the record ${direction} could not be found`)
    }
    return null
  }
}

async function openable(
  ctx: HttpContext,
  view: ModelView,
  list: ListParameters,
  key: KeyValue,
  direction: 'before' | 'after',
  offer: Opening
): Promise<KeyValue | null> {
  /* Deleted records are excluded, as they have no form. */
  const request = list.with({ deleted: 'exclude' }).toRequest()
  const records = new Records(view.resource)
  const options = view.callOptions(ctx)
  let skipped = 0
  for await (const keys of neighbours(records, request, key, direction, options)) {
    const mayOpen = await mayEach(ctx, view, offer, keys)
    const found = keys.find((one) => mayOpen(one))
    if (found) return found
    skipped += keys.length
    if (skipped >= MOST_SKIPPED) break
  }
  return null
}
