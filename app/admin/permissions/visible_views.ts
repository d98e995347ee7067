import type { HttpContext } from '@adonisjs/core/http'
import type { AdminSite } from '../admin_site.js'
import type { ModelView } from '../model_view.js'

/**
 * The models that the signed-in user may see, in the order of the site. [B13, P14]
 */
export async function visibleViews(site: AdminSite, ctx: HttpContext): Promise<ModelView[]> {
  const views = [...site.models.values()]
  const areVisible = await Promise.all(views.map((view) => view.isVisibleTo(ctx)))
  return views.filter((_, index) => areVisible[index])
}
