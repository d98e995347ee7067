import type { HttpContext } from '@adonisjs/core/http'
import { deletionEffects, MOST_COUNTED } from '#crud/internals'
import { keyOf } from '#base/items'
import type { KeyValue } from '#base/columns/key'
import { groupedNumber } from '#base/values/numbers'
import type { Site } from '../views/site.js'
import { recordsByKey } from '../event_log/logged_records.js'
import { cutText } from '../list/cell.js'
import type { ModelView } from '../views/model_view.js'
import { personalViews } from '../views/visible_views.js'
import { isDeletedItem } from '../views/record_items.js'
import { recordLinks } from '../http/record_links.js'
import { inSentence } from '../text/plain_text.js'

type DeletionEffect = Awaited<ReturnType<typeof deletionEffects>>['effects'][number]
type Effect = DeletionEffect['effect']

/* Maximum number of records of each model that are listed */
const NAMED = 10

/* Effects that prevent the deletion come first. */
const ORDER: readonly Effect[] = ['refuse', 'cascade', 'empty', 'leave']

/** Records of one model, and the effect of a deletion on them. */
export interface ShownEffect {
  effect: Effect
  /** For example `3 letters are deleted too` */
  text: string
  /** For example `3 letters` */
  subject: string
  records: Array<{ title: string; url: string | null }>
  /** True if `records` contains all records of the subject */
  isAll: boolean
}

/**
 * Returns the further effects of a permanent deletion, as far as the signed-in user is allowed to see them. Records
 * that the user is not allowed to see, or whose reference is hidden from the user, are counted without titles.
 *
 * @param view  view with the permissions of the user's roles
 * @param keys   keys of the records to be deleted, at least the first ones
 * @param count  number of all records to be deleted
 * @returns an empty list if the effects cannot be determined, which is logged; the deletion then reports what prevents
 *   it
 */
export async function shownEffects(
  ctx: HttpContext,
  site: Site,
  view: ModelView,
  keys: readonly KeyValue[],
  count: number
): Promise<ShownEffect[]> {
  try {
    const client = view.client()
    const resources = [...site.models.values()].map(({ resource }) => resource)
    const { effects, ...found } = await deletionEffects(view.resource, keys, { client, resources })
    const isPartial = found.isPartial || count > keys.length
    const views = await personalViews(site, ctx)
    const shown = ORDER.map((effect) =>
      ofEffect(
        ctx,
        site,
        effect,
        effects.filter((one) => one.effect === effect),
        views,
        isPartial
      )
    )
    const parts = await Promise.all(shown)
    return parts.flat()
  } catch (error) {
    ctx.logger.error({ err: error }, `${view.name}: what a deletion does is not known`)
    return []
  }
}

async function ofEffect(
  ctx: HttpContext,
  site: Site,
  effect: Effect,
  found: readonly DeletionEffect[],
  views: ReadonlyMap<string, ModelView>,
  isPartial: boolean
): Promise<ShownEffect[]> {
  const shown: ShownEffect[] = []
  let others = 0
  let isMore = isPartial
  for (const one of found) {
    const view = one.resource && views.get(one.resource.name)
    if (!view || !(await areSeen(ctx, one, views))) {
      others += one.count
      isMore ||= one.isMore
      continue
    }
    const words = { singular: inSentence(view.singular), plural: inSentence(view.label) }
    const number = numberOf(site, one.count, one.isMore || isPartial)
    const subject = site.text('bulk.records', { count: one.count, shown: number, ...words })
    const text = site.text(`bulk.effects.${effect}`, { count: one.count, records: subject })
    const records = await named(ctx, view, one.keys)
    shown.push({ effect, subject, text, records, isAll: records.length === one.count })
  }
  if (others > 0) {
    const number = numberOf(site, others, isMore)
    const subject = site.text('bulk.effects.others', { count: others, shown: number })
    const text = site.text(`bulk.effects.${effect}`, { count: others, records: subject })
    shown.push({ effect, subject, text, records: [], isAll: false })
  }
  return shown
}

/** Returns whether the user is allowed to see the records and the columns by which they refer to the deleted ones. */
async function areSeen(
  ctx: HttpContext,
  { resource, ties }: DeletionEffect,
  views: ReadonlyMap<string, ModelView>
): Promise<boolean> {
  for (const tie of [{ resource, columns: [] }, ...ties]) {
    const view = tie.resource && views.get(tie.resource.name)
    if (!view || view.base.resource !== tie.resource || !(await view.isVisibleTo(ctx))) return false
    if (!view.resource.isLoaded) await view.resource.load()
    const { columns, mixedColumns } = view.resource
    const shown = columns.visible.filter((column) => !mixedColumns.has(column))
    if (!tie.columns.every((name) => shown.some((column) => column.name === name))) return false
  }
  return true
}

function numberOf(site: Site, count: number, isMore: boolean): string {
  if (!isMore) return groupedNumber(count)
  return site.text('bulk.effects.more', {
    shown: groupedNumber(Math.min(count, MOST_COUNTED)),
  })
}

/** Returns the records that the user is allowed to see, with their titles. */
async function named(ctx: HttpContext, view: ModelView, keys: readonly KeyValue[]) {
  if (!view.resource.isLoaded) await view.resource.load()
  const seen = await recordsByKey(ctx, view, keys, 'include')
  const items = seen.slice(0, NAMED)
  const linkTo = await recordLinks(
    ctx,
    view,
    items.map((item) => keyOf(item)!)
  )
  return items.map((item) => ({
    title: cutText(view.titleOf(item)),
    url: linkTo(keyOf(item)!, isDeletedItem(view, item)),
  }))
}
