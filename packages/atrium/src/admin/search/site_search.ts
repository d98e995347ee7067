import type { HttpContext } from '@adonisjs/core/http'
import pLimit from 'p-limit'
import { keyOf } from '#base/items'
import { OutOfTime, resultWithin } from '#base/database/time_limit'
import type { Column } from '#base/columns/column'
import type { WithDatabase } from '../config/database_config.js'
import { recentRecords, type RecentRecord } from '../dashboard/recent_events.js'
import type { Site } from '../views/site.js'
import { isForbidden } from '../forms/submission/form_failure.js'
import { mayImport } from '../import/import_access.js'
import { addressOf } from '../config/navigation_config.js'
import { visiblePages, managementPages } from '../layout/sidebar.js'
import { iconOf, letterOf, type ModelIcon } from '../layout/model_icon.js'
import { filteredUrl } from '../list/list_address.js'
import type { ModelView } from '../views/model_view.js'
import { may } from '../permissions/may.js'
import { visibleViews } from '../views/visible_views.js'
import { recordLinks } from '../http/record_links.js'
import { inSentence, plainText } from '../text/plain_text.js'
import { recordsByTitle } from '../list/records_by_title.js'

/** Maximum number of records of each model */
const MOST_RECORDS = 5

/** Maximum number of models searched concurrently */
const AT_ONCE = 4

/** Time limits of a search, in milliseconds */
export const timeLimits = {
  /**
   * Limit for each model for titles that contain the text elsewhere than at the beginning, so that a large model does
   * not use up the time of other models
   */
  contained: 100,
  /** Limit for the search of each model; no further model is searched once this time has passed since the beginning */
  model: 1000,
}

/** A link in the result. */
export interface Place {
  label: string
  url: string
  icon?: ModelIcon
  /** Name of the model of a record */
  model?: string
  /** Another text by which a page or an action is found, such as the label of its button */
  synonym?: string
}

/** Found records of one model. */
interface RecordGroup extends Place {
  /** At most five records */
  records: Place[]
}

interface SearchResult {
  q: string
  /** Records that the user worked on last; only without a search text */
  recent: Place[]
  /** Pages whose name is the search text */
  exact: Place[]
  /** Other pages of the site and lists of models */
  pages: Place[]
  /** Available actions: new records, logout; first those whose name is the search text */
  actions: Place[]
  /** Models with found records, in the order of the site */
  groups: RecordGroup[]
  /** Models whose search took too long, with links to their lists */
  slow: Place[]
}

/**
 * Searches pages, actions, and the records of all models by title, as far as the signed-in user is allowed to see them.
 *
 * @param q  search text; empty: pages and actions only
 */
async function searchSite(
  site: Site & WithDatabase,
  ctx: HttpContext,
  q: string
): Promise<SearchResult> {
  const visible = await visibleViews(site, ctx)
  const views = visible.toSorted((one, other) => Number(one.adminModel) - Number(other.adminModel))
  const text = q.toLowerCase()
  const namesOf = ({ label, synonym = label }: Place) => [
    label.toLowerCase(),
    synonym.toLowerCase(),
  ]
  const fits = (place: Place) => namesOf(place).some((name) => name.includes(text))
  const isExact = (place: Place) => namesOf(place).includes(text)
  const [recent, own, actions, { groups, slow }] = await Promise.all([
    q === '' ? recentRecords(site, ctx) : null,
    visiblePages(site, ctx),
    actionsOf(site, ctx, views),
    q === '' ? { groups: [], slow: [] } : searchRecords(ctx, views, q),
  ])
  const pages = [
    { label: site.text('sidebar.dashboard'), url: site.url('/') },
    ...views.filter(({ adminModel }) => !adminModel).map(pageOf),
    ...own.map(({ icon, label, path }) => ({
      label,
      url: site.url(`/${path}`),
      icon: { path: icon ?? null, letter: letterOf(label) },
    })),
    ...[...(site.navigation.links ?? [])].map((link) => ({
      label: link.label,
      url: addressOf(link),
    })),
    ...views.filter(({ adminModel }) => adminModel).map(pageOf),
    ...managementPages(site, ctx).map(({ icon, label, url }) => ({ icon, label, url })),
    { label: site.text('account.title'), url: site.url('/account') },
    { label: site.text('keys.title'), url: site.url('/keys') },
  ]
  return {
    q,
    recent: placesOf(recent ?? []),
    exact: pages.filter(isExact),
    pages: pages.filter((place) => fits(place) && !isExact(place)),
    actions: actions
      .filter(fits)
      .toSorted((one, other) => Number(isExact(other)) - Number(isExact(one))),
    groups,
    slow,
  }
}

function pageOf(view: ModelView): Place {
  return { label: view.label, url: view.url('/'), icon: iconOf(view), synonym: view.singular }
}

function placesOf(records: readonly RecentRecord[]): Place[] {
  return records.flatMap(({ icon, model, title, url }) =>
    url === null ? [] : { label: title, url, icon, model }
  )
}

async function actionsOf(
  site: Site,
  ctx: HttpContext,
  views: readonly ModelView[]
): Promise<Place[]> {
  const creatable = await Promise.all(views.map((view) => may(ctx, view, 'create')))
  const records = views
    .filter((_, index) => creatable[index])
    .map((view) => ({
      label: site.text('search.create', { singular: inSentence(view.singular) }),
      synonym: site.text('list.add', { one: inSentence(view.singular) }),
      url: view.url('/create_page'),
    }))
  const importable = await Promise.all(views.map((view) => mayImport(ctx, view)))
  const imports = views
    .filter((_, index) => importable[index])
    .map((view) => ({
      label: site.text('import.title', { plural: inSentence(view.label) }),
      url: view.url('/import'),
    }))
  return [...records, ...imports, { label: site.text('frame.logout'), url: site.url('/logout') }]
}

async function searchRecords(ctx: HttpContext, views: readonly ModelView[], q: string) {
  const begin = performance.now()
  const isBefore = (milliseconds: number) => performance.now() - begin < milliseconds
  const takeTurns = pLimit(AT_ONCE)
  const outcomes = await Promise.all(
    views.map((view) =>
      takeTurns(async () => {
        if (!isBefore(timeLimits.model)) return null
        return await resultWithin(timeLimits.model, () => recordsOf(ctx, view, q))
      })
    )
  )
  const groups: RecordGroup[] = []
  const slow: Place[] = []
  for (const [index, view] of views.entries()) {
    const outcome = outcomes[index]
    const place = { label: view.label, url: `${view.url('/')}?${new URLSearchParams({ q })}` }
    if (outcome === null) slow.push(place)
    else if (outcome.length > 0) groups.push({ ...place, records: outcome })
  }
  return { groups, slow }
}

/**
 * Returns the matching records of a model; an empty list if they cannot be read, null if the search takes too long.
 */
async function recordsOf(ctx: HttpContext, view: ModelView, q: string): Promise<Place[] | null> {
  try {
    const { items, isComplete } = await recordsByTitle(ctx, view, {
      q,
      limit: MOST_RECORDS,
      timeLimit: timeLimits.contained,
    })
    if (items.length === 0 && !isComplete) return null
    const keys = items.map((item) => keyOf(item)!)
    const linkTo = await recordLinks(ctx, view, keys)
    return items.map((item, index) => {
      const label = plainText(view.titleOf(item)).text
      const url = linkTo(keys[index])
      if (url !== null) return { label, url }
      if (keys[index].includes(null))
        return { label, url: `${view.url('/')}?${new URLSearchParams({ q })}` }
      const values = view.resource.key.columns.map((column, part): [Column, string] => [
        column,
        String(keys[index][part]),
      ])
      return { label, url: filteredUrl(view, values) }
    })
  } catch (error) {
    if (error instanceof OutOfTime) return null
    if (!isForbidden(error)) {
      ctx.logger.error({ err: error }, `${view.name} could not be searched`)
    }
    return []
  }
}

/** Maximum length of the search text; longer texts are truncated. */
const LONGEST_TEXT = 200

/** Search of the site, as a page or as the content of the palette. */
export class SearchController {
  constructor(private readonly site: Site & WithDatabase) {}

  async show(ctx: HttpContext): Promise<string> {
    const { q } = ctx.request.qs()
    const text = typeof q === 'string' ? q.trim().slice(0, LONGEST_TEXT).toWellFormed() : ''
    const isPart = ctx.request.header('hx-request') !== undefined
    ctx.response.vary('HX-Request')
    const result = await searchSite(this.site, ctx, text)
    return await this.site.render(ctx, isPart ? 'partials/search_content' : 'pages/search', {
      result,
    })
  }
}
