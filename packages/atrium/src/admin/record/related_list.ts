import { isDeletedRecord, itemOf, readKey } from '../views/record_items.js'
import type { HttpContext } from '@adonisjs/core/http'
import string from '@adonisjs/core/helpers/string'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import type { Column } from '#base/columns/column'
import { readCondition } from '#base/columns/condition'
import { attributeValue } from '#base/values/to_api'
import type { KeyValue } from '#base/columns/key'
import type { ModelView, ViewSite } from '../views/model_view.js'
import { personal, may } from '../permissions/may.js'
import { inlineOptions, relatedNames } from '../views/relation_options.js'
import { isRelated, relatedColumnOf } from '../views/related_columns.js'
import type { Site } from '../views/site.js'
import { type ListSite, relatedIn } from '../list/read_list.js'
import { referringPage, parentNameIn, withParentName } from '../http/list_query.js'
import { cutText } from '../list/cell.js'
import { formFields } from '../forms/fields/form_fields.js'
import { columnChoices } from '../list/columns/column_choices.js'
import { ListParameters } from '../list/list_parameters.js'
import { listSettings } from '../list/saved_views/list_settings.js'
import { readSummaries } from '../list/summaries/summaries.js'
import { recordLinks } from '../http/record_links.js'

/**
 * The records of another model that refer to a record of the view by a `hasMany` or `hasOne` relation.
 */
interface RelatedList {
  /** Name of the relation */
  name: string
  label: string
  /** View of the referring records */
  view: ModelView
  /** Referring column */
  column: Column
  /** Referenced column of the view's model */
  target: Column
  /** Summaries of the relation's inline; undefined to use those of the related model */
  summaries: readonly string[] | undefined
}

/** Returns the related lists of a view for all models on the site, regardless of the user. */
function relatedListsOf(site: ViewSite, view: ModelView): RelatedList[] {
  const relations = relatedNames(view.model, view.options.related).map((name) =>
    view.model.$relationsDefinitions.get(name)!
  )
  const models = relations.map((relation) => {
    relation.boot()
    return relation.relatedModel()
  })
  return relations.flatMap((relation, index): RelatedList[] => {
    if (relation.type !== 'hasMany' && relation.type !== 'hasOne') return []
    const other = [...site.models.values()].find(({ model }) => model === models[index])
    const column = other?.resource.columns.find(relation.foreignKey)
    const target = view.resource.columns.find(relation.localKey)
    if (!other || !column || !target || column.hidden || target.hidden) return []
    const isOnlyOne = models.filter((model) => model === other.model).length === 1
    const name = relation.relationName
    const label = isOnlyOne ? other.label : string.sentenceCase(name)
    const inline = inlineOptions(view.options.inlines).find((one) => one.relation === name)
    const summaries = inline?.summaries && [...inline.summaries]
    return [{ name, label, view: other, column, target, summaries }]
  })
}

/**
 * Returns the related lists of a view that the signed-in user is allowed to see.
 *
 * @param view  view with the permissions of the user's roles
 */
export async function seenRelatedLists(
  ctx: HttpContext,
  site: ViewSite,
  view: ModelView
): Promise<RelatedList[]> {
  const lists = await Promise.all(
    relatedListsOf(site, view).map(async (list) => {
      if (!(await list.view.isVisibleTo(ctx))) return null
      if (!list.view.resource.isLoaded) await list.view.resource.load()
      const own = await personal(ctx, list.view)
      const column = own?.resource.columns.find(list.column.apiName)
      return own && column && !column.hidden ? { ...list, view: own, column } : null
    })
  )
  return lists.filter((list) => list !== null)
}

/** The record whose page a form was opened from, and which the form returns to. */
export interface ParentRecord {
  /** Name of the record in URLs: `Distributor/3` */
  name: string
  title: string
  url: string
}

/**
 * Finds the parent record by the parameter in the URL of the form. The first link to the form has no such parameter, so
 * the page that the browser comes from is used instead.
 *
 * @param view  view of the form
 * @returns null if the form was opened elsewhere, or if the user is not allowed to open the record
 */
export async function parentRecord(
  ctx: HttpContext,
  site: Site,
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
  site: Site,
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

/** Returns the HTML id of a related list on the page of a record. */
export function relatedId({ name }: { name: string }): string {
  return `related-${name}`
}

function nameOfReferringRecord(ctx: HttpContext, site: Site): string | null {
  const { request } = ctx
  if (!['GET', 'HEAD'].includes(request.method())) return null
  const { pathname } = referringPage(ctx) ?? { pathname: '' }
  if (pathname === request.parsedUrl.pathname || !pathname.startsWith(`${site.mountPath}/`))
    return null
  const place = pathname.slice(site.mountPath.length + 1)
  const [, model, path] = /^([^/]+)\/(?:update|view|related\/[^/]+)\/(.+)$/.exec(place) ?? []
  return model === undefined ? null : `${model}/${path}`
}

/** Query parameters that a related list reads; other list parameters apply only to the list page. */
const READ = ['page', 'sort_by', 'sort_order', 'rows-per-page-select']

/** Returns the value by which records refer to the record, as in the API; null if the record has no such value. */
export function referredValue({ target }: RelatedList, record: LucidRow): string | null {
  const value = attributeValue(target, record)
  return value === null || value === undefined ? null : String(value)
}

/** Returns the URL of a related list: `/admin/Distributor/related/films/3`. */
export function relatedUrl(view: ModelView, { name }: RelatedList, key: KeyValue): string {
  return view.url(`/related/${name}${view.resource.key.toPath(key)}`)
}

/**
 * Returns the list's parameters, of which only page, page size and order come from the URL.
 *
 * @param base  URL of the related list
 */
export async function relatedParameters(
  ctx: HttpContext,
  site: ListSite,
  { view, column, summaries }: RelatedList,
  { base, value }: { base: string; value: string }
): Promise<ListParameters> {
  const given = new URLSearchParams(ctx.request.parsedUrl.query ?? '')
  const query = new URLSearchParams([...given].filter(([name]) => READ.includes(name)))
  const { density, columns } = await listSettings(ctx, site, view)
  const names = (columns ?? columnChoices(view).usual).filter(
    (name) => !isOfParent(view, name, column)
  )
  const related = await relatedIn(ctx, site, view, query.toString())
  const read = ListParameters.read(view, query.toString(), undefined, undefined, undefined, related)
  const settings = { ...read.settings, density, columns: names.length > 0 ? names : null }
  return read.with({
    settings,
    base,
    fixed: [readCondition(column, 'eq', value)],
    summaries: summaries ? readSummaries(view, summaries.join()) : null,
  })
}

/** Returns true for the referring column and for columns of the parent, which have the same value in every row. */
function isOfParent(view: ModelView, name: string, { apiName }: Column): boolean {
  const related = isRelated(name) && relatedColumnOf(view, name)
  return (typeof related === 'object' ? related.steps[0].link.apiName : name) === apiName
}

/**
 * Returns the URL of the create page with the reference filled in, which returns to the parent record afterwards; null
 * if the user is not allowed to create, or the reference is not in the form.
 *
 * @param parent  name of the referenced record: `Distributor/3`
 */
export async function addUrl(
  ctx: HttpContext,
  site: Site,
  { view, column }: RelatedList,
  { value, parent }: { value: string; parent: string }
): Promise<string | null> {
  if (!(await may(ctx, view, 'create'))) return null
  const isField = formFields(site, view, 'create').some((field) => field.column === column)
  if (!isField) return null
  const query = new URLSearchParams([[column.apiName, value]])
  return withParentName(`${view.url('/create_page')}?${query}`, parent)
}

/** Placeholder of a related list on the page of a record; the list is loaded after the page. */
export interface RelatedSection {
  id: string
  label: string
  url: string
}

/**
 * Returns the related lists of a record that the signed-in user is allowed to see.
 *
 * @param view  view with the permissions of the user's roles
 */
export async function relatedSections(
  ctx: HttpContext,
  site: Site,
  view: ModelView,
  record: LucidRow
): Promise<RelatedSection[]> {
  const lists = await seenRelatedLists(ctx, site, view)
  const key = view.resource.key.of(record)
  return lists
    .filter((list) => referredValue(list, record) !== null)
    .map((list) => ({ id: relatedId(list), label: list.label, url: relatedUrl(view, list, key) }))
}
