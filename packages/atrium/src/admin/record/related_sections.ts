import type { HttpContext } from '@adonisjs/core/http'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import type { AdminSite } from '../admin_site.js'
import type { ModelView } from '../model_view.js'
import { seenRelatedLists } from '../relations/related_lists.js'
import { relatedId } from './parent_record.js'
import { referredValue, relatedUrl } from './related_list.js'

/**
 * Place of a related list on the page of a record, into which the list comes after the page.
 */
export interface RelatedSection {
  id: string
  label: string
  url: string
}

/**
 * The related lists of a record that the signed-in user may see. [R4]
 *
 * @param view  as their roles leave it
 */
export async function relatedSections(
  ctx: HttpContext,
  site: AdminSite,
  view: ModelView,
  record: LucidRow
): Promise<RelatedSection[]> {
  const lists = await seenRelatedLists(ctx, site, view)
  const key = view.resource.key.of(record)
  return lists
    .filter((list) => referredValue(list, record) !== null)
    .map((list) => ({ id: relatedId(list), label: list.label, url: relatedUrl(view, list, key) }))
}
