import type { HttpContext } from '@adonisjs/core/http'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import type { AdminSite } from '../admin_site.js'
import { cellMarkup } from '../list/cell_markup.js'
import { cutText } from '../list/cell.js'
import type { ModelView } from '../model_view.js'
import { attachedRecords } from '../relations/attached_records.js'
import { seenManyToMany, type ManyToMany } from '../relations/many_to_many.js'
import { escaped } from '../text/markup.js'
import type { RecordFact } from './record_facts.js'
import { recordLinks } from './record_links.js'

/* More are only said to be there. */
const MOST_SHOWN = 100

const LONGEST_TITLE = 120

/**
 * The records attached to a record by many-to-many relations, as links. [R3, R16]
 *
 * @param view    as the user's roles leave it
 * @param except  names of relations that are shown elsewhere
 */
export async function attachedFacts(
  ctx: HttpContext,
  site: AdminSite,
  view: ModelView,
  record: LucidRow,
  except: ReadonlySet<string> = new Set()
): Promise<RecordFact[]> {
  if (view.manyToMany.length === 0) return []
  const relations = await seenManyToMany(ctx, site, view)
  return await Promise.all(
    relations
      .filter(({ name }) => !except.has(name))
      .map((many) => factOf(ctx, site, view, many, record))
  )
}

async function factOf(
  ctx: HttpContext,
  site: AdminSite,
  view: ModelView,
  many: ManyToMany,
  record: LucidRow
): Promise<RecordFact> {
  const { label, name, reference } = many
  const found = await attachedRecords(ctx, view, many, record, MOST_SHOWN)
  const { records, isMore } = found
  const fact = { name, label, title: undefined, isTime: false, isLong: records.length > 3 }
  if (records.length === 0) {
    const text = site.text('list.null')
    return { ...fact, kind: 'null', markup: cellMarkup({ kind: 'null', text }) }
  }
  const linkTo = await recordLinks(
    ctx,
    reference.view,
    records.map(({ key }) => key)
  )
  const titles = records.map(({ key, label: title, isDeleted }) => {
    const href = linkTo(key, isDeleted) ?? undefined
    return cellMarkup({ kind: 'text', text: cutText(title, LONGEST_TITLE), href })
  })
  if (isMore) titles.push(escaped(site.text('manyToMany.more')))
  return { ...fact, kind: 'text', markup: titles.join(', ') }
}
