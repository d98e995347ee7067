import type { HttpContext } from '@adonisjs/core/http'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import { readCondition } from '#base/columns/condition'
import { attributeValue } from '#base/values/to_api'
import type { KeyValue } from '#base/columns/key'
import type { AdminSite } from '../admin_site.js'
import { formFields } from '../forms/fields/form_fields.js'
import { withParentName } from '../http/list_query.js'
import { columnChoices } from '../list/columns/column_choices.js'
import { PREFIX } from '../list/list_filters.js'
import { ListParameters } from '../list/list_parameters.js'
import { placeOf } from '../list/saved_views/place_of.js'
import type { ModelView } from '../model_view.js'
import { may } from '../permissions/may.js'
import { type RelatedList, seenRelatedLists } from '../relations/related_lists.js'
import { relatedId } from './parent_record.js'

/** Parameters of the address that a related list reads: the others of a list are for its own page. */
const READ = ['page', 'sort_by', 'sort_order', 'rows-per-page-select']

/**
 * The value that records refer to the record by, as in the API; null if they can't.
 */
export function referredValue({ target }: RelatedList, record: LucidRow): string | null {
  const value = attributeValue(target, record)
  return value === null || value === undefined ? null : String(value)
}

/**
 * URL of a related list: `/admin/Distributor/related/films/3`.
 */
export function relatedUrl(view: ModelView, { name }: RelatedList, key: KeyValue): string {
  return view.url(`/related/${name}${view.resource.key.toPath(key)}`)
}

/**
 * URL of the whole list, filtered to the records that refer to the record.
 */
export function filteredListUrl({ view, column }: RelatedList, value: string): string {
  return `${view.url('/')}?${new URLSearchParams([[`${PREFIX}${column.apiName}`, value]])}`
}

/**
 * The list's parameters, of which the address gives page and order only.
 *
 * @param base  address of the related list
 */
export async function relatedParameters(
  ctx: HttpContext,
  site: AdminSite,
  { view, column }: RelatedList,
  { base, value }: { base: string; value: string }
): Promise<ListParameters> {
  const given = new URLSearchParams(ctx.request.parsedUrl.query ?? '')
  const query = new URLSearchParams([...given].filter(([name]) => READ.includes(name)))
  const { density, columns } = await placeOf(ctx, site, view)
  /* The column that refers says the same in every row. */
  const names = (columns ?? columnChoices(view).usual).filter((name) => name !== column.apiName)
  const read = ListParameters.read(view, query.toString())
  const place = { ...read.place, density, columns: names.length > 0 ? names : null }
  return read.with({ place, base, fixed: [readCondition(column, 'eq', value)] })
}

/**
 * URL of the page that makes a record with the reference filled in, and then leads back; null where the user may
 * not, or the reference is in no form.
 *
 * @param parent  the name of the record that is referred to: `Distributor/3`
 */
export async function addUrl(
  ctx: HttpContext,
  site: AdminSite,
  { view, column }: RelatedList,
  { value, parent }: { value: string; parent: string }
): Promise<string | null> {
  if (!(await may(ctx, view, 'create'))) return null
  const isField = formFields(site, view, 'create').some((field) => field.column === column)
  if (!isField) return null
  const query = new URLSearchParams([[column.apiName, value]])
  return withParentName(`${view.url('/create_page')}?${query}`, parent)
}

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
