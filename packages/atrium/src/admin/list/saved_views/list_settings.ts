import type { HttpContext } from '@adonisjs/core/http'
import type { WithPreferences } from '../../preferences/preferences.js'
import type { ModelView } from '../../views/model_view.js'
import { isPageSize } from '../../views/page_size.js'
import { VersionedCache } from '../../permissions/versioned_cache.js'
import type { SavedView, WithSavedViews } from './saved_views.js'
import { guardOf } from '../../identity/admin_guard.js'

/** Row densities, the default first */
export const DENSITIES = ['comfortable', 'compact'] as const

export type Density = (typeof DENSITIES)[number]

/** The saved views of a list, and the viewer's preferences for it. */
export interface ListSettings {
  /** The viewer's views and the shared ones, sorted by name */
  readonly views: readonly SavedView[]
  readonly open: SavedView | null
  /** True if the URL contains a saved view that does not exist or is not visible to the viewer; it is ignored */
  readonly isGone: boolean
  /** Id of the saved view that is used if the URL contains no parameters */
  readonly defaultId: number | null
  /** Names of the columns that the viewer has chosen; null for the default columns */
  readonly columns: readonly string[] | null
  /** Page size that the viewer chose last; null if there is none */
  readonly rows: number | null
  readonly density: Density
  /** Density of lists for which the viewer has not chosen one */
  readonly usualDensity: Density
}

export const NO_SETTINGS: ListSettings = {
  views: [],
  open: null,
  isGone: false,
  defaultId: null,
  columns: null,
  rows: null,
  density: DENSITIES[0],
  usualDensity: DENSITIES[0],
}

/* Cached per request, as a page needs the saved views for the list and for the tabs. */
const REQUESTED = new WeakMap<HttpContext, Map<string, Promise<ListSettings>>>()

/** Name of the user's preference for the density of lists for which the user has not chosen one */
export const USUAL_DENSITY = 'list.density'

/* Maximum number of characters in the queries of a user's cached views, to limit memory */
const LARGEST_CACHED = 20_000

const CACHE = new VersionedCache<ListSettings>((settings) => sizeOf(settings) <= LARGEST_CACHED)

/** Returns the names of the user's preferences for the list of a model. */
export function preferenceNames(model: string) {
  return {
    columns: `list.${model}.columns`,
    density: `list.${model}.density`,
    rows: `list.${model}.rows`,
    view: `list.${model}.view`,
  }
}

/**
 * Returns the saved views and preferences of the signed-in user for a list, without a current saved view. Errors are
 * only logged, as the list works without them.
 */
export async function listSettings(
  ctx: HttpContext,
  site: WithPreferences & WithSavedViews,
  { name }: Pick<ModelView, 'name'>
): Promise<ListSettings> {
  const owner = guardOf(ctx).signedIn?.owner
  if (!owner) return NO_SETTINGS
  let requested = REQUESTED.get(ctx)
  if (!requested) REQUESTED.set(ctx, (requested = new Map()))
  let settings = requested.get(name)
  if (!settings) {
    const known = CACHE.of(site, owner, name, () => read(site, owner.id, name))
    requested.set(name, (settings = unlessFailed(ctx, name, known)))
  }
  return await settings
}

async function unlessFailed(ctx: HttpContext, model: string, reading: Promise<ListSettings>) {
  try {
    return await reading
  } catch (error) {
    ctx.logger.error({ err: error }, `${model}: how the user has arranged the list is not known`)
    return NO_SETTINGS
  }
}

async function read(
  site: WithPreferences & WithSavedViews,
  userId: number,
  model: string
): Promise<ListSettings> {
  const names = preferenceNames(model)
  const [views, preferences] = await Promise.all([
    site.savedViews.visibleTo(userId, model),
    site.preferences.read(userId, [...Object.values(names), USUAL_DENSITY]),
  ])
  const chosen = preferences.get(names.view)
  const usualDensity = densityIn(preferences.get(USUAL_DENSITY))
  return {
    ...NO_SETTINGS,
    views,
    defaultId: views.find(({ id }) => id === chosen)?.id ?? null,
    columns: textsIn(preferences.get(names.columns)),
    rows: rowsIn(preferences.get(names.rows)),
    density: densityIn(preferences.get(names.density) ?? usualDensity),
    usualDensity,
  }
}

function sizeOf({ views }: ListSettings): number {
  return views.reduce((size, { query }) => size + query.length, 0)
}

function textsIn(value: unknown): readonly string[] | null {
  const texts = Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []
  return texts.length > 0 ? texts : null
}

function rowsIn(value: unknown): number | null {
  return isPageSize(value) ? value : null
}

/** Returns the density of a stored value; the default for an unknown value. */
export function densityIn(value: unknown): Density {
  return DENSITIES.find((one) => one === value) ?? DENSITIES[0]
}

type Field = readonly [name: string, value: string]

/* Parameters that only have a meaning together with another one */
const TOGETHER: Record<string, string> = {
  'sort_order': 'sort_by',
  'search-input': 'column-to-search',
}

/* Values that reset a parameter of a saved view; all other parameters are reset by an empty value */
const RESET_VALUES: Record<string, string> = {
  'sort_by': 'None',
  'deleted': 'exclude',
  'rows-per-page-select': '10',
}

/* A condition in a group of alternatives, and the whole group: `filter.any.1.genre`, `filter.any.1` */
const GROUP = /^(filter\.any\.\d{1,9})(\..*)?$/s

/**
 * Merges the query of a saved view with the parameters of the URL, which take precedence. Groups of filters apply in
 * addition to those of the view; an empty `filter.any.1` removes a group of the view.
 *
 * @param base    query of the saved view
 * @param given   query of the URL
 * @param search  name of the parameter with the search text in the URL
 */
export function withView(base: string, given: URLSearchParams, search: string): URLSearchParams {
  const partOf = (name: string) => groupOf(name === search ? 'search-input' : name)
  const replacing = [...given.keys()].filter((name) => !GROUP.exec(name)?.[2])
  const replaced = new Set(replacing.map(partOf))
  const stored = [...new URLSearchParams(base)].filter(([name]) => !replaced.has(groupOf(name)))
  const all: Array<[string, string]> = [
    ...stored.map(([name, value]): [string, string] => [
      name === 'search-input' ? search : name,
      value,
    ]),
    ...renumbered(
      [...given].filter(([name]) => name !== 'view' && !isRemoval(name)),
      new Set(stored.map(([name]) => groupOf(name)))
    ),
  ]
  return new URLSearchParams(all)
}

function isRemoval(name: string): boolean {
  const group = GROUP.exec(name)
  return group !== null && group[2] === undefined
}

/** Gives another number to each group of filters whose number is in use. */
function renumbered(fields: Array<[string, string]>, used: ReadonlySet<string>) {
  const taken = new Set([...used, ...fields.map(([name]) => groupOf(name))])
  const names = new Map<string, string>()
  const nameFor = (group: string) => {
    if (!used.has(group)) return group
    if (!names.has(group)) names.set(group, unusedGroup(taken))
    return names.get(group)!
  }
  return fields.map(([name, value]): [string, string] => {
    const [, group, rest] = GROUP.exec(name) ?? []
    return [group === undefined ? name : nameFor(group) + rest, value]
  })
}

/** Returns a group's name that is not in use, and adds it to those in use. */
function unusedGroup(taken: Set<string>): string {
  let number = 1
  while (taken.has(`filter.any.${number}`)) number++
  taken.add(`filter.any.${number}`)
  return `filter.any.${number}`
}

/**
 * Returns the parameters that the URL needs in addition to a saved view.
 *
 * @param base    parameters of the saved view
 * @param fields  parameters of the list
 */
export function fieldsOutsideView(base: readonly Field[], fields: readonly Field[]): Field[] {
  const before = Map.groupBy(base, ([name]) => groupOf(name))
  const now = Map.groupBy(fields, ([name]) => groupOf(name))
  const changed = [...now].filter(([group, some]) => !isSame(some, before.get(group)))
  const gone = [...before].filter(([group]) => !now.has(group))
  return [
    ...changed.flatMap(([group, some]) =>
      GROUP.test(group) && before.has(group) ? [[group, ''] as Field, ...some] : some
    ),
    ...gone.map(([group]): Field => [group, RESET_VALUES[group] ?? '']),
  ]
}

function groupOf(name: string): string {
  return TOGETHER[name] ?? GROUP.exec(name)?.[1] ?? name
}

function isSame(some: readonly Field[], others: readonly Field[] = []): boolean {
  return JSON.stringify(some) === JSON.stringify(others)
}
