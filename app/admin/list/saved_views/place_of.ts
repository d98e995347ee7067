import type { HttpContext } from '@adonisjs/core/http'
import type { AdminSite } from '../../admin_site.js'
import type { ModelView } from '../../model_view.js'
import { DENSITIES, NO_PLACE, type Density, type ListPlace } from './list_place.js'

/* A page reads its list and shows its views. */
const ASKED = new WeakMap<HttpContext, Map<string, Promise<ListPlace>>>()

/**
 * Names of a person's preferences for the list of a model.
 */
export function preferenceNames(model: string) {
  return {
    columns: `list.${model}.columns`,
    density: `list.${model}.density`,
    view: `list.${model}.view`,
  }
}

/**
 * The views that the signed-in user has of a list, and how they have arranged it, whichever view is open.
 * A failure to read that does not fail the list. [L5, L6]
 */
export async function placeOf(
  ctx: HttpContext,
  site: AdminSite,
  { name }: Pick<ModelView, 'name'>
): Promise<ListPlace> {
  let asked = ASKED.get(ctx)
  if (!asked) ASKED.set(ctx, (asked = new Map()))
  let place = asked.get(name)
  if (!place) asked.set(name, (place = find(ctx, site, name)))
  return await place
}

async function find(ctx: HttpContext, site: AdminSite, model: string): Promise<ListPlace> {
  const user = ctx.auth.use('admin').signedIn?.owner
  if (!user) return NO_PLACE
  const names = preferenceNames(model)
  try {
    const [views, preferences] = await Promise.all([
      site.savedViews.visibleTo(user.id, model),
      site.preferences.read(user.id, Object.values(names)),
    ])
    const chosen = preferences.get(names.view)
    return {
      ...NO_PLACE,
      views,
      defaultId: views.find(({ id }) => id === chosen)?.id ?? null,
      columns: textsIn(preferences.get(names.columns)),
      density: densityIn(preferences.get(names.density)),
    }
  } catch (error) {
    ctx.logger.error({ err: error }, `${model}: how the user has arranged the list is not known`)
    return NO_PLACE
  }
}

function textsIn(value: unknown): readonly string[] | null {
  const texts = Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []
  return texts.length > 0 ? texts : null
}

/** The default for anything unknown */
export function densityIn(value: unknown): Density {
  return DENSITIES.find((one) => one === value) ?? DENSITIES[0]
}
