import type { HttpContext } from '@adonisjs/core/http'
import type { Site } from '../../views/site.js'
import { viewedRoleOf } from '../../permissions/view_as_guard.js'
import { cutText } from '../cell.js'
import { GROUP_BY, SUMMARY } from '../list_address.js'
import type { ListParameters } from '../list_parameters.js'
import { guardOf } from '../../identity/admin_guard.js'
import type { Density } from './list_settings.js'
import type { SavedView } from './saved_views.js'

/* Maximum number of names in a note. */
const MOST_NAMED = 5

interface ViewTab {
  /** Id as in the URL */
  id: string
  name: string
  url: string
  isOpen: boolean
  isShared: boolean
}

/** The bar above a list, with the saved views and actions on views and columns. */
export interface ViewsBar {
  /** Empty without saved views */
  tabs: ViewTab[]
  density: Density
  /** Query of the list, for forms */
  query: string
  /** Notes about parts of the URL that can't be shown */
  notes: Array<{ text: string; url: string | null }>
  /** URLs of actions; null if the viewer cannot write */
  links: {
    columns: string
    /** Form of a card on the dashboard with these records */
    card: string
    /** Null for models of the site itself */
    duplicates: string | null
    save: string
    /** Form of the current saved view, if any */
    edit: string | null
    /**
     * Saves the query to the current saved view; null if it is unchanged or the viewer is not allowed to change it
     */
    update: string | null
  } | null
}

export function viewsBar(ctx: HttpContext, site: Site, parameters: ListParameters): ViewsBar {
  return {
    tabs: tabsOf(site, parameters),
    density: parameters.settings.density,
    query: parameters.query,
    notes: notesOf(site, parameters),
    /* No writes are allowed while a superuser views the site as a role. */
    links: viewedRoleOf(ctx) === undefined ? linksOf(ctx, parameters) : null,
  }
}

/** Returns true if the signed-in user is allowed to change or delete the view. */
export function mayChange(ctx: HttpContext, { ownerId }: Pick<SavedView, 'ownerId'>): boolean {
  const { owner } = guardOf(ctx).signedInOrFail()
  return owner.isSuperuser || ownerId === owner.id
}

function tabsOf(site: Site, parameters: ListParameters): ViewTab[] {
  const { views, open } = parameters.settings
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
  const { settings, unknownColumns, unknownFigures, url } = parameters
  const gone = settings.isGone ? [{ text: site.text('list.views.gone'), url }] : []
  return [
    ...gone,
    ...unknownNotes(site, parameters, 'columns', unknownColumns, ['columns']),
    ...unknownNotes(site, parameters, 'summaries', unknownFigures, [SUMMARY, GROUP_BY]),
  ]
}

/**
 * Returns notes about names that do not exist or that the viewer cannot see. Those of a shared view are not shown, as
 * its readers may not be allowed to see them.
 *
 * @param kind        group of the texts
 * @param parameters  names of the parameters that contain the names
 */
function unknownNotes(
  site: Site,
  { settings, url }: ListParameters,
  kind: 'columns' | 'summaries',
  unknown: readonly string[],
  parameters: readonly string[]
): ViewsBar['notes'] {
  const shown = settings.open?.isShared ? namesIn(settings.open.query, parameters) : []
  const count = unknown.filter((name) => shown.includes(name)).length
  const own = unknown.filter((name) => !shown.includes(name))
  const names = own.slice(0, MOST_NAMED).map((name) => cutText(name))
  const text = { names: names.join(', '), count: own.length }
  return [
    ...(count > 0 ? [{ text: site.text(`list.${kind}.withheld`, { count }), url: null }] : []),
    ...(own.length > 0 ? [{ text: site.text(`list.${kind}.unknown`, text), url }] : []),
  ]
}

function namesIn(query: string, parameters: readonly string[]): string[] {
  const given = new URLSearchParams(query)
  const texts = parameters.flatMap((name) => given.getAll(name))
  return texts.flatMap((names) => [names, ...names.split(',')])
}

function linksOf(ctx: HttpContext, parameters: ListParameters): ViewsBar['links'] {
  const { settings, isChanged, view } = parameters
  const { open } = settings
  const isMine = open !== null && mayChange(ctx, open)
  return {
    columns: parameters.urlBelow('/columns'),
    card: parameters.urlBelow('/cards/new'),
    duplicates: view.adminModel ? null : parameters.urlBelow('/duplicates'),
    save: parameters.urlBelow('/views/new'),
    edit: open && view.url(`/views/${open.id}`),
    update: isMine && isChanged ? view.url(`/views/${open.id}/query`) : null,
  }
}

/**
 * Renders a form of a list: only its content for htmx, which shows it in a dialog, otherwise as a page.
 *
 * @param data  template variables of the form; `content` is its template
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
