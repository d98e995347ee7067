import type { HttpContext } from '@adonisjs/core/http'
import type { Site } from '../../views/site.js'
import { viewedRoleOf } from '../../permissions/view_as/view_as_guard.js'
import { cutText } from '../cell.js'
import type { ListParameters } from '../list_parameters.js'
import { guardOf } from '../../identity/admin_guard.js'
import type { Density, SavedView } from './list_place.js'

/* More names in a note do not help. */
const MOST_NAMED = 5

interface ViewTab {
  /** As in the address */
  id: string
  name: string
  url: string
  isOpen: boolean
  isShared: boolean
}

/**
 * The bar above a list: its views, and the actions on them and on its columns. [L5, L6]
 */
export interface ViewsBar {
  /** Empty without any view */
  tabs: ViewTab[]
  density: Density
  /** The list's query, for what is sent */
  query: string
  /** Notes about parts of the address that can't be shown */
  notes: Array<{ text: string; url: string | null }>
  /** URLs of what can be done; null where nothing can be written */
  links: {
    columns: string
    save: string
    /** The view that is open, if any */
    edit: string | null
    /** Puts the query into the view that is open, if it is changed and the viewer may */
    update: string | null
  } | null
}

export function viewsBar(ctx: HttpContext, site: Site, parameters: ListParameters): ViewsBar {
  return {
    tabs: tabsOf(site, parameters),
    density: parameters.place.density,
    query: parameters.query,
    notes: notesOf(site, parameters),
    /* Nothing is written while a superuser sees the site as a role. */
    links: viewedRoleOf(ctx) === undefined ? linksOf(ctx, parameters) : null,
  }
}

/**
 * Returns true if the signed-in user may change or delete the view.
 */
export function mayChange(ctx: HttpContext, { ownerId }: Pick<SavedView, 'ownerId'>): boolean {
  const { owner } = guardOf(ctx).signedInOrFail()
  return owner.isSuperuser || ownerId === owner.id
}

function tabsOf(site: Site, parameters: ListParameters): ViewTab[] {
  const { views, open } = parameters.place
  if (views.length === 0) return []
  const all: ViewTab = {
    id: 'all',
    name: site.text('list.views.all'),
    url: parameters.plain.url,
    isOpen: open === null,
    isShared: false,
  }
  const tabs = views.map((one) => ({
    id: String(one.id),
    name: one.name,
    url: parameters.view.url(`/?view=${one.id}`),
    isOpen: one.id === open?.id,
    isShared: one.isShared,
  }))
  return [all, ...tabs]
}

function notesOf(site: Site, parameters: ListParameters): ViewsBar['notes'] {
  const { place, unknownColumns, url } = parameters
  const notes: ViewsBar['notes'] = []
  if (place.isGone) notes.push({ text: site.text('list.views.gone'), url })
  /* A shared view may name columns that are hidden from its readers. */
  const shown = place.open?.isShared ? columnsIn(place.open.query) : []
  const ofView = unknownColumns.filter((name) => shown.includes(name))
  const own = unknownColumns.filter((name) => !shown.includes(name))
  if (ofView.length > 0) {
    notes.push({ text: site.text('list.columns.withheld', { count: ofView.length }), url: null })
  }
  if (own.length > 0) {
    const names = own.slice(0, MOST_NAMED).map((name) => cutText(name))
    const text = site.text('list.columns.unknown', { names: names.join(', '), count: own.length })
    notes.push({ text, url })
  }
  return notes
}

function columnsIn(query: string): string[] {
  return new URLSearchParams(query)
    .getAll('columns')
    .flatMap((names) => [names, ...names.split(',')])
}

function linksOf(ctx: HttpContext, parameters: ListParameters): ViewsBar['links'] {
  const { place, isChanged, view } = parameters
  const { open } = place
  const isMine = open !== null && mayChange(ctx, open)
  return {
    columns: parameters.urlBelow('/columns'),
    save: parameters.urlBelow('/views/new'),
    edit: open && view.url(`/views/${open.id}`),
    update: isMine && isChanged ? view.url(`/views/${open.id}/query`) : null,
  }
}

/**
 * A form next to a list: alone for htmx, which shows it in a dialog on the list, else as a page.
 *
 * @param data  variables of the form; `content` is its template
 */
export async function showPanel(
  ctx: HttpContext,
  site: Site,
  data: { title: string; content: string; back: string } & Record<string, unknown>
): Promise<string> {
  ctx.response.vary('HX-Request')
  const isPart = ctx.request.header('hx-request') !== undefined
  return await site.render(ctx, isPart ? 'partials/list_panel' : 'pages/list_panel', data)
}
