import type { HttpContext } from '@adonisjs/core/http'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import type { AdminSite } from '../admin_site.js'
import { historyLink } from '../events/history/history_url.js'
import { withRestore } from '../events/history/restore_url.js'
import { withParentName } from '../http/parent_name.js'
import { openedList, withList } from '../list/opened_list.js'
import type { ModelView } from '../model_view.js'
import { may } from '../permissions/may.js'
import { parentRecord } from '../record/parent_record.js'
import { withAllCarried } from './kept/carried.js'
import { neighbourRecords } from './neighbour_records.js'
import { wayBack } from './new_beside/new_beside.js'
import { copyUrl } from './prefill/copy_url.js'

/**
 * Addresses of a form page, each with the list or the parent record that the form was opened from: the action of the
 * form, the ways back, to the records before and after, to the history, a copy and the deletion.
 *
 * @param record  of an update
 */
export async function formLinks(
  ctx: HttpContext,
  site: AdminSite,
  view: ModelView,
  record?: LucidRow
) {
  const key = record && view.resource.key.of(record)
  const path = key && view.resource.key.toPath(key)
  const isListed = await view.isVisibleTo(ctx)
  const list = isListed ? await openedList(ctx, site, view) : null
  const parent = list ? null : await parentRecord(ctx, site, view)
  const withOrigin = (url: string) => withParentName(withList(url, list), parent && parent.name)
  const copy = key ? await copyUrl(ctx, view, key) : null
  const history = key ? historyLink(ctx, view, key) : null
  const action = view.url(path === undefined ? '/form_create' : `/form_update${path}`)
  return {
    action: withAllCarried(ctx, withOrigin(withRestore(ctx, action))),
    history: history && withList(history, list),
    copy: copy && withOrigin(copy),
    list,
    neighbours: list && key ? await neighbourRecords(ctx, view, list, key) : null,
    back:
      (await wayBack(ctx, site)) ??
      parent?.url ??
      (isListed ? (list?.url ?? view.url('/')) : site.url('/')),
    parent,
    isListed,
    remove: path !== undefined &&
      (await may(ctx, view, 'delete', record)) && {
        url: view.url('/form_bulk_delete'),
        id: path.slice(1),
        from: withOrigin(view.url(`/update${path}`)),
      },
  }
}
