import type { HttpContext } from '@adonisjs/core/http'
import type { WithPreferences } from '../../preferences/preferences.js'
import type { ModelView } from '../../views/model_view.js'
import { isPageSize } from '../../views/page_size.js'
import { VersionedCache } from '../../permissions/versioned_cache.js'
import { DENSITIES, NO_PLACE, type Density, type ListPlace } from './list_place.js'
import type { WithSavedViews } from './saved_views.js'
import { guardOf } from '../../identity/admin_guard.js'

/* Cached per request, as a page needs the saved views for the list and for the tabs. */
const OF_REQUEST = new WeakMap<HttpContext, Map<string, Promise<ListPlace>>>()

/** Name of the user's preference for the density of lists for which the user has not chosen one */
export const USUAL_DENSITY = 'list.density'

/* Maximum number of characters in the queries of a user's cached views, to limit memory */
const LARGEST_CACHED = 20_000

const CACHE = new VersionedCache<ListPlace>((place) => sizeOf(place) <= LARGEST_CACHED)

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
export async function placeOf(
  ctx: HttpContext,
  site: WithPreferences & WithSavedViews,
  { name }: Pick<ModelView, 'name'>
): Promise<ListPlace> {
  const owner = guardOf(ctx).signedIn?.owner
  if (!owner) return NO_PLACE
  let requested = OF_REQUEST.get(ctx)
  if (!requested) OF_REQUEST.set(ctx, (requested = new Map()))
  let place = requested.get(name)
  if (!place) {
    const known = CACHE.of(site, owner, name, () => read(site, owner.id, name))
    requested.set(name, (place = unlessFailed(ctx, name, known)))
  }
  return await place
}

async function unlessFailed(ctx: HttpContext, model: string, reading: Promise<ListPlace>) {
  try {
    return await reading
  } catch (error) {
    ctx.logger.error({ err: error }, `${model}: how the user has arranged the list is not known`)
    return NO_PLACE
  }
}

async function read(
  site: WithPreferences & WithSavedViews,
  userId: number,
  model: string
): Promise<ListPlace> {
  const names = preferenceNames(model)
  const [views, preferences] = await Promise.all([
    site.savedViews.visibleTo(userId, model),
    site.preferences.read(userId, [...Object.values(names), USUAL_DENSITY]),
  ])
  const chosen = preferences.get(names.view)
  const usualDensity = densityIn(preferences.get(USUAL_DENSITY))
  return {
    ...NO_PLACE,
    views,
    defaultId: views.find(({ id }) => id === chosen)?.id ?? null,
    columns: textsIn(preferences.get(names.columns)),
    rows: rowsIn(preferences.get(names.rows)),
    density: densityIn(preferences.get(names.density) ?? usualDensity),
    usualDensity,
  }
}

function sizeOf({ views }: ListPlace): number {
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
