import type { LucidRow } from '@adonisjs/lucid/types/model'
import type { HttpContext } from '@adonisjs/core/http'
import type { Item } from '#crud'
import { noteKey } from '#base/items'
import type { ModelView } from '../model_view.js'
import type { AdminSite } from '../admin_site.js'
import { readKey } from '../events/pages/record_places.js'
import { referringPage, parentNameIn } from '../http/list_query.js'
import { cutText } from '../list/cell.js'
import { personal } from '../permissions/may.js'
import { relatedListsOf } from '../relations/related_lists.js'
import { recordLinks } from './record_links.js'

/**
 * The item of a record as the user sees it, with its key.
 *
 * @param view  as the user's roles leave it
 */
export function itemOf(view: ModelView, record: LucidRow): Item {
  const item = view.resource.reader.toItem(record)
  return noteKey(item, view.resource.key.of(record))
}

/**
 * True if the record is deleted, but not for good.
 */
export function isDeletedRecord({ resource }: ModelView, record: LucidRow): boolean {
  return resource.softDelete?.marks(record as unknown as Record<string, unknown>) ?? false
}

/**
 * The same for an item; false where its marking column is not among its fields.
 */
export function isDeletedItem({ resource }: ModelView, item: Item): boolean {
  const { flag, timestamp } = resource.softDelete ?? {}
  return Boolean(item[(flag ?? timestamp)?.apiName ?? ''])
}

/**
 * The record whose page a form was opened from, and which the form leads back to. [R4]
 */
export interface ParentRecord {
  /** Its name in addresses: `Distributor/3` */
  name: string
  title: string
  url: string
}

/**
 * Finds it by the address of the form, or, as the first link to the form is an ordinary one, by the page that the
 * browser comes from.
 *
 * @param view  of the form
 * @returns null if the form was opened elsewhere, or the user may not open the record
 */
export async function parentRecord(
  ctx: HttpContext,
  site: AdminSite,
  view: ModelView
): Promise<ParentRecord | null> {
  const name = parentNameIn(ctx) ?? nameOfReferringRecord(ctx, site)
  const [, model, path] = /^([^/]+)\/(.+)$/s.exec(name ?? '') ?? []
  const known = model === undefined ? undefined : site.models.get(model)
  const own = known?.admits(ctx) ? await personal(ctx, known) : null
  if (!own) return null
  try {
    return await found(ctx, site, own, path, view)
  } catch (error) {
    if ((error as { status?: number }).status !== 403) {
      ctx.logger.error(
        { err: error },
        `${own.name}: the record that a form leads back to is not known`
      )
    }
    return null
  }
}

async function found(
  ctx: HttpContext,
  site: AdminSite,
  parent: ModelView,
  path: string,
  view: ModelView
): Promise<ParentRecord | null> {
  if (!parent.resource.isLoaded) await parent.resource.load()
  const [key] = readKey(parent, path) ?? []
  if (!key) return null
  const options = { ...parent.callOptions(ctx), deleted: 'include' as const }
  const record = await parent.crud.find(key, options)
  const linkTo = await recordLinks(ctx, parent, [key])
  const url = record && linkTo(key, isDeletedRecord(parent, record))
  if (!record || url === null) return null
  const list = relatedListsOf(site, parent).find((one) => one.view === view.base)
  return {
    name: `${parent.name}${parent.resource.key.toPath(key)}`,
    title: cutText(parent.titleOf(itemOf(parent, record), key)),
    url: list ? `${url}#${relatedId(list)}` : url,
  }
}

/**
 * Id of a related list on the page of a record.
 */
export function relatedId({ name }: { name: string }): string {
  return `related-${name}`
}

function nameOfReferringRecord(ctx: HttpContext, site: AdminSite): string | null {
  const { request } = ctx
  if (!['GET', 'HEAD'].includes(request.method())) return null
  const { pathname } = referringPage(ctx) ?? { pathname: '' }
  if (pathname === request.parsedUrl.pathname || !pathname.startsWith(`${site.mountPath}/`))
    return null
  const place = pathname.slice(site.mountPath.length + 1)
  const [, model, path] = /^([^/]+)\/(?:update|view|related\/[^/]+)\/(.+)$/.exec(place) ?? []
  return model === undefined ? null : `${model}/${path}`
}
