import type { HttpContext } from '@adonisjs/core/http'
import type { ModelView } from '../views/model_view.js'
import type { Site } from '../views/site.js'
import type { WithPreferences } from '../preferences/preferences.js'
import { listSettings, withView } from './saved_views/list_settings.js'
import type { WithSavedViews } from './saved_views/saved_views.js'
import { ListParameters } from './list_parameters.js'
import { ALL_RECORDS, lastIn, SEARCH, PREFIX } from './list_address.js'
import { NO_TITLES, titleSearches, type TitleSearches } from './title_search.js'
import { flashOf } from '../http/flash.js'
import {
  referringPage,
  listQueryIn,
  queryOfReferringList,
  withListQuery,
} from '../http/list_query.js'
import type { RowActions, RowMoves } from './rows_markup.js'
import { RelatedFields } from '#crud/internals'
import type { Column } from '#base/columns/column'
import { filterPlace } from '#base/columns/filter'
import { isRelated } from '../views/related_columns.js'
import { columnChoices } from './columns/column_choices.js'
import { LucidCrud } from '#crud'
import type { Offer } from '../permissions/may.js'

/** The parts of the site that lists need */
export type ListSite = Site & WithPreferences & WithSavedViews

/**
 * Parses the query string of a list for the signed-in user. References are found by titles that the user can see, and
 * saved views of the user are applied.
 *
 * @param view          the view, limited by the user's roles
 * @param query         query string with or without the question mark
 * @param search        name of the parameter with the search text
 * @param opensDefault  true to apply the user's default view if the query is empty
 */
export async function readList(
  ctx: HttpContext,
  site: ListSite,
  view: ModelView,
  query: string,
  search?: string,
  opensDefault: boolean = false
): Promise<ListParameters> {
  const given = new URLSearchParams(query)
  const known = await listSettings(ctx, site, view)
  const wanted =
    opensDefault && given.size === 0 ? String(known.defaultId ?? '') : lastIn(given, 'view')
  const open = known.views.find(({ id }) => String(id) === wanted) ?? null
  const isGone = Boolean(wanted) && wanted !== ALL_RECORDS && open === null
  const text = open ? withView(open.query, given, search ?? SEARCH).toString() : query
  const titles = await titlesOf(ctx, site, view, text, search)
  const related = await relatedIn(ctx, site, view, text)
  return ListParameters.read(view, text, search, titles, { ...known, open, isGone }, related)
}

/** Parses the query a first time to collect the titles that it searches for, by column. */
async function titlesOf(
  ctx: HttpContext,
  site: ListSite,
  view: ModelView,
  query: string,
  search?: string
): Promise<TitleSearches> {
  const wanted = new Map<string, string[]>()
  const noting = {
    get: (column: string) => (title: string) => {
      wanted.set(column, [...(wanted.get(column) ?? []), title])
      return null
    },
  }
  /* Evaluates the search, as its words are only parsed on demand. */
  void ListParameters.read(view, query, search, noting).isUnsearchable
  if (wanted.size === 0) return NO_TITLES
  return await titleSearches(ctx, site, view, ({ apiName }) => wanted.get(apiName) ?? [])
}

/**
 * Returns the record that the user has just worked on, to highlight it: the record of the flash message, or of the
 * form or page that the request comes from.
 *
 * @returns key in the format of URL paths, without the leading slash; null if there is none
 */
export async function markedRecord(ctx: HttpContext, view: ModelView): Promise<string | null> {
  const flash = await flashOf(ctx)
  const flashed = flash?.record
  if (flashed) return flashed.model === view.name ? flashed.key : null
  const path = referringPage(ctx)?.pathname ?? ''
  const form = ['/update/', '/form_update/', '/view/']
    .map((name) => view.url(name))
    .find((address) => path.startsWith(address))
  return form === undefined ? null : path.slice(form.length)
}

/**
 * Returns the list that a form was opened from, to which saving, cancelling and *Back* return. The first link to the
 * form is an ordinary link, so the referrer contains the list; all further URLs of the form contain the list's query.
 *
 * @returns null if the form was not opened from a list
 */
export async function openedList(
  ctx: HttpContext,
  site: ListSite,
  view: ModelView
): Promise<ListParameters | null> {
  const query = listQueryIn(ctx) ?? queryOfReferringList(ctx, view.url('/'))
  return query === null ? null : await readList(ctx, site, view, query)
}

/**
 * Adds the list's query to the URL of a form, or of a page that links to a form, so that the form can return to the
 * list.
 */
export function withList(address: string, list: ListParameters | null): string {
  return withListQuery(address, list && list.url.slice(list.view.url('/').length + 1))
}

/** Returns the actions in the menu of each row; null if there are none, or in a list below a record. */
export function rowActions(
  site: Pick<Site, 'text'>,
  { base, url, view }: ListParameters
): RowActions | null {
  if (base !== null || view.recordActions.length === 0) return null
  return {
    label: site.text('record.actions.menu', { title: '{title}' }),
    links: view.recordActions.map(({ label, name }) => ({
      label,
      url: view.url(`/record_action/${name}`),
    })),
    query: new URLSearchParams({ next: url }).toString(),
  }
}

/**
 * Returns the fields of related records that the filters and the order of a list's query name, and those that the list
 * can show; undefined if there are none. Models that the signed-in user cannot see in the site are left out.
 */
export async function relatedIn(
  ctx: HttpContext,
  site: Site,
  view: ModelView,
  query: string
): Promise<RelatedFields | undefined> {
  const given = new URLSearchParams(query)
  const filters = [...given.keys()].flatMap((name) =>
    name.startsWith(PREFIX) ? filterPlace(name.slice(PREFIX.length), () => false).name : []
  )
  const sorts = (lastIn(given, 'sort_by') ?? '').split(',')
  const names = [...filters, ...sorts, ...columnChoices(view).all.keys()]
  const related = [...new Set(names)].filter(isRelated)
  return related.length === 0 ? undefined : await relatedFields(ctx, site, view, related)
}

/**
 * Returns a column of related records by its name, such as `distributor.name`; undefined if the user cannot filter by
 * it.
 */
export async function relatedColumn(
  ctx: HttpContext,
  site: Site,
  view: ModelView,
  name: string
): Promise<Column | undefined> {
  if (!isRelated(name)) return undefined
  const fields = await relatedFields(ctx, site, view, [name])
  return fields.columns.get(name)
}

/** Returns the columns of all relations of a model that the signed-in user can filter by. */
export async function relatedColumns(
  ctx: HttpContext,
  site: Site,
  view: ModelView
): Promise<Column[]> {
  const names = [...columnChoices(view).all.keys()].filter(isRelated)
  for (const relation of view.model.$relationsDefinitions.values()) {
    if (!relation.serializeAs) continue
    relation.boot()
    const other = viewOf(site, relation.relatedModel())
    for (const { apiName } of other?.resource.fields ?? []) {
      names.push(`${relation.serializeAs}.${apiName}`)
    }
  }
  const fields = await relatedFields(ctx, site, view, [...new Set(names)])
  return [...fields.columns.values()]
}

async function relatedFields(
  ctx: HttpContext,
  site: Site,
  view: ModelView,
  names: readonly string[]
): Promise<RelatedFields> {
  const { actor, client } = view.callOptions(ctx)
  return await RelatedFields.of(view.resource, names, {
    actor,
    client,
    admits: async ({ resource }) => {
      const other = viewOf(site, resource.model)
      return other !== undefined && (await other.isVisibleTo(ctx))
    },
  })
}

function viewOf(site: Site, model: unknown): ModelView | undefined {
  return [...site.models.values()].find((one) => one.model === model)
}

/** Returns true if a list shows the stored order, so that its records can be moved. */
export function movesRows({ base, deleted, isUnread, sorts, view }: ListParameters): boolean {
  const { orderColumn } = view
  if (!orderColumn || base !== null || deleted !== 'exclude' || isUnread) return false
  if (view.crud.getMulti !== LucidCrud.prototype.getMulti) return false
  const [{ column, direction }] = sorts
  return sorts.length === 1 && direction === 'asc' && column.apiName === orderColumn.apiName
}

/**
 * Returns the handles of a list's rows; null if they cannot be moved.
 *
 * @param offers  what the user is allowed to do with the model
 */
export function rowMoves(
  site: Site,
  parameters: ListParameters,
  offers: ReadonlySet<Offer>
): RowMoves | null {
  const { view } = parameters
  const { projection } = view.resource
  if (!offers.has('update') || !movesRows(parameters)) return null
  if (projection?.writing('update', view.orderColumn!.apiName) === 'none') return null
  const label = site.text('order.handle', { title: '{title}' })
  const [path, query] = withList(view.url('/move/'), parameters).split('?')
  return {
    urlOf: (key) => (query === undefined ? path + key : `${path}${key}?${query}`),
    labelOf: (title) => label.replace('{title}', () => title),
  }
}
