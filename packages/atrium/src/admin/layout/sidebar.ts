import type { HttpContext } from '@adonisjs/core/http'
import { runAs } from '#crud'
import { addressOf, type NavigationLink } from '../config/navigation_config.js'
import { hasEventLog } from '../events/database_integration.js'
import { isSuperuser } from '../identity/admin_guard.js'
import { adminActor } from '../identity/admin_actor.js'
import { goKeys, PAGE_KEYS } from '../keyboard/keys.js'
import { groupedNumber } from '#base/values/numbers'
import { permissionOfPage, type AdminPage } from '../views/admin_page.js'
import { visibleViews } from '../views/visible_views.js'
import { iconOf, letterOf, type ModelIcon } from './model_icon.js'
import type { Site } from '../views/site.js'

/** An entry of the sidebar. */
interface Entry {
  label: string
  icon: ModelIcon
  url: string
  active: boolean
  /** Key after `g` that opens the page */
  go?: string | null
  /** Number next to the label */
  badge?: string | null
  /** True for a URL of another site */
  isExternal?: boolean
}

/* Milliseconds after which a page is shown without a badge that is not computed yet */
const TIMEOUT = 500

const LINK = 'M14 4h6v6M20 4l-9 9M18 14v6H4V6h6'

/**
 * Returns the groups of the sidebar: models, pages of the application and links, in the order of `navigation`. The
 * admin site's own models are in a separate last group, which only superusers see.
 *
 * @param options.isPart  true for a part of a page, which shows no badges
 */
export async function sidebarGroups(site: Site, ctx: HttpContext, { isPart = false } = {}) {
  const [visible, pages, links] = await Promise.all([
    visibleViews(site, ctx),
    visiblePages(site, ctx),
    isPart ? [] : linksOf(site, ctx),
  ])
  const views = visible.sort((one, other) => Number(one.adminModel) - Number(other.adminModel))
  const path = ctx.request.url()
  const management = site.text('sidebar.management')
  const groups = new Map<string, Entry[]>()
  const add = (group: string, entry: Entry) => {
    groups.set(group, [...(groups.get(group) ?? []), entry])
  }
  for (const view of views.filter(({ adminModel }) => !adminModel)) {
    add(view.group ?? site.text('sidebar.models'), {
      label: view.label,
      icon: iconOf(view),
      url: site.url(`/${view.name}/`),
      active: path.startsWith(site.url(`/${view.name}/`)),
    })
  }
  for (const page of pages)
    add(page.group ?? site.text('sidebar.pages'), pageEntry(site, page, path))
  for (const { group, entry } of links) add(group ?? site.text('sidebar.links'), entry)
  for (const view of views.filter(({ adminModel }) => adminModel)) {
    add(management, {
      label: view.label,
      icon: iconOf(view),
      url: site.url(`/${view.name}/`),
      active: path.startsWith(site.url(`/${view.name}/`)),
    })
  }
  const all = [...groups.values()].flat()
  const letters = goKeys(all.map(({ label }) => label))
  for (const [at, entry] of all.entries()) if (!entry.isExternal) entry.go = letters[at]
  for (const page of managementPages(site, ctx, { seesModels: visible.length > 0 })) {
    add(management, { ...page, go: PAGE_KEYS[page.name] })
  }
  const closed = closedGroups(ctx)
  return inOrder([...groups], site.navigation.groups ?? []).map(([label, models]) => ({
    label,
    models,
    isOpen: !closed.has(label) || models.some(({ active }) => active),
  }))
}

/** Returns the pages of the application that the signed-in user's roles allow. */
export async function visiblePages(
  { pages, permissions }: Pick<Site, 'pages' | 'permissions'>,
  ctx: HttpContext
): Promise<AdminPage[]> {
  const actor = adminActor(ctx)
  const all = [...pages.values()]
  const allowed = await Promise.all(
    all.map((page) => permissions.mayOpen(actor, 'pages', permissionOfPage(page)))
  )
  return all.filter((_, at) => allowed[at])
}

function pageEntry(site: Pick<Site, 'url'>, { icon, label, path }: AdminPage, here: string) {
  const url = site.url(`/${path}`)
  return {
    label,
    icon: { path: icon ?? null, letter: letterOf(label) },
    url,
    active: here === url || here.startsWith(`${url}/`),
  }
}

async function linksOf(site: Site, ctx: HttpContext) {
  const links = [...(site.navigation.links ?? [])]
  return await Promise.all(
    links.map(async (link) => ({
      group: link.group,
      entry: {
        label: link.label,
        icon: { path: LINK, letter: letterOf(link.label) },
        url: addressOf(link),
        active: ctx.request.url() === addressOf(link),
        badge: await badgeOf(link, ctx),
        isExternal: !link.href.startsWith('/'),
      },
    }))
  )
}

/** Returns the number next to a link; null if there is none, if it is zero, or if it fails or takes too long. */
async function badgeOf({ badge, label }: NavigationLink, ctx: HttpContext): Promise<string | null> {
  if (!badge) return null
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), TIMEOUT)
  })
  try {
    const counting = runAs(adminActor(ctx), async () => await badge(ctx))
    /* Handles a rejection after the timeout, which would end the process otherwise. */
    counting.catch(() => {})
    const number: unknown = await Promise.race([counting, late])
    return typeof number === 'number' && Number.isFinite(number) && number !== 0
      ? groupedNumber(number)
      : null
  } catch (error) {
    ctx.logger.error({ err: error }, `The badge of the link ${label} could not be computed`)
    return null
  } finally {
    clearTimeout(timer)
  }
}

function inOrder<Members>(
  groups: Array<[label: string, members: Members]>,
  first: readonly string[]
): Array<[label: string, members: Members]> {
  const rank = (label: string) => {
    const at = [...first].indexOf(label)
    return at < 0 ? Infinity : at
  }
  return groups.toSorted(([one], [other]) => {
    const [before, after] = [rank(one), rank(other)]
    return before === after ? 0 : before - after
  })
}

/** Cookie that admin.js writes: the encoded labels of collapsed groups, separated by dots */
const CLOSED_GROUPS = 'admin_closed_groups'

/** Returns the labels of the sidebar groups that the viewer has collapsed. */
function closedGroups({ request }: HttpContext): ReadonlySet<string> {
  const cookie: unknown = request.plainCookie(CLOSED_GROUPS, { encoded: false })
  if (typeof cookie !== 'string') return new Set()
  return new Set(cookie.split('.').map(decoded))
}

function decoded(label: string): string {
  try {
    return decodeURIComponent(label)
  } catch {
    return ''
  }
}

const ICONS: Record<string, string> = {
  jobs: 'M4 6h16M4 12h10M4 18h6M16.5 14v4l2.5 1.5',
  events: 'M3.5 12a8.5 8.5 0 1 0 2.6-6.1L3.5 8.5M3.5 4v4.5H8M12 7.5V12l3.5 2',
  health: 'M2.5 12.5H7l3-8 4 15 3-7h4.5',
}

/**
 * Returns the sidebar links to the management pages: the user's jobs for users who see any model, the others for
 * superusers, and the event log only if the site stores events.
 */
export function managementPages(site: Site, ctx: HttpContext, { seesModels = true } = {}) {
  const path = ctx.request.url()
  const names = isSuperuser(ctx)
    ? [...(hasEventLog(site) ? ['events'] : []), 'jobs', 'health']
    : seesModels
      ? ['jobs']
      : []
  return names.map((name) => {
    const url = site.url(`/management/${name}`)
    const active = path === url || path.startsWith(`${url}/`)
    return {
      name,
      label: site.text(`sidebar.${name}`),
      icon: { path: ICONS[name], letter: '' },
      url,
      active,
    }
  })
}
