import type { HttpContext } from '@adonisjs/core/http'
import { deletionEffects, MOST_COUNTED } from '#crud/internals'
import { keyOf } from '#base/items'
import type { KeyValue } from '#base/columns/key'
import type { AdminSite } from '../admin_site.js'
import { recordsByKey } from '../events/pages/record_places.js'
import { cutText } from '../list/cell.js'
import type { ModelView } from '../model_view.js'
import { personalViews } from '../permissions/visible_views.js'
import { isDeletedItem } from '../record/item_of.js'
import { recordLinks } from '../record/record_links.js'
import { inSentence } from '../text/in_sentence.js'

type DeletionEffect = Awaited<ReturnType<typeof deletionEffects>>['effects'][number]
type Effect = DeletionEffect['effect']

/* Records of each model that are named */
const NAMED = 10

/* Effects that stop the deletion come first. */
const ORDER: readonly Effect[] = ['refuse', 'cascade', 'empty', 'leave']

/** Records of one model, and what a deletion does to them. */
export interface ShownEffect {
  effect: Effect
  /** As in `3 letters are deleted too` */
  text: string
  /** As in `3 letters` */
  subject: string
  records: Array<{ title: string; url: string | null }>
  /** True if these are all of them */
  isAll: boolean
}

/**
 * Further effects of a deletion for good, as far as the signed-in user may see it; the records of what they may not
 * see, or not see that it refers, are counted without a name. [R6]
 *
 * @param view  as the user's roles leave it
 * @param keys   of the records to be deleted, at least the first ones
 * @param count  number of all
 * @returns nothing if it can't be found out, which is logged: the deletion itself says then what stops it
 */
export async function shownEffects(
  ctx: HttpContext,
  site: AdminSite,
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
  site: AdminSite,
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

/** False also where the user may not see by which columns the records are tied to what is deleted. */
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

function numberOf(site: AdminSite, count: number, isMore: boolean): string {
  if (!isMore) return count.toLocaleString('en')
  return site.text('bulk.effects.more', {
    shown: Math.min(count, MOST_COUNTED).toLocaleString('en'),
  })
}

/** Those of the records that the user may see, with their titles. */
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
