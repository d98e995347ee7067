import type { HttpContext } from '@adonisjs/core/http'
import type { ModelView, ViewSite } from './model_view.js'
import { may, personal } from '../permissions/may.js'

/**
 * Returns the models that the signed-in user's roles allow viewing, by name, limited by the roles. Includes models
 * that their policy does not allow the user to list.
 */
export async function personalViews(
  { models }: Pick<ViewSite, 'models'>,
  ctx: HttpContext
): Promise<ReadonlyMap<string, ModelView>> {
  const views = await Promise.all(
    [...models].map(async ([name, view]) => {
      const own = view.admits(ctx) ? await personal(ctx, view) : null
      return own ? ([[name, own]] as const) : []
    })
  )
  return new Map(views.flat())
}

/** Returns the models that the signed-in user can see, limited by the user's roles, in the order of the site. */
export async function visibleViews(site: ViewSite, ctx: HttpContext): Promise<ModelView[]> {
  const views = await Promise.all(
    [...site.models.values()].map(async (view) => {
      const own = await personal(ctx, view)
      return own && (await may(ctx, own, 'view')) ? own : null
    })
  )
  return views.filter((view) => view !== null)
}
