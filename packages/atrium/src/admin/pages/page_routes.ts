import type { Site } from '../views/site.js'
import { permissionOfPage, type AdminPage } from '../views/admin_page.js'
import { adminActor } from '../identity/admin_actor.js'
import { WithheldPage } from '../http/errors.js'
import { signInGuard } from '../http/guards.js'
import { readBody } from '../http/read_body.js'
import { lazyPart } from '../http/lazy_part.js'
import { siteRoutes, type RoutedSite } from '../http/site_routes.js'

/** The parts of the site that pages of the application need */
export interface PageSite extends Site, RoutedSite {
  readonly pages: Map<string, AdminPage>
  url(path: string): string
}

/**
 * Adds the route of a page of the application. To users whose roles do not allow it, the page does not exist.
 */
export function addPageRoute(site: PageSite, page: AdminPage): void {
  const show = lazyPart(
    () => import('./show_page.js'),
    ({ showPage }) => showPage
  )
  siteRoutes(site, [signInGuard, readBody], ({ get }) => {
    get(`/${page.path}`, `page:${page.path}`, async (ctx) => {
      const { permissions } = site
      if (!(await permissions.mayOpen(adminActor(ctx), 'pages', permissionOfPage(page)))) {
        throw new WithheldPage()
      }
      const respond = await show()
      return await respond(site, page, ctx)
    })
  })
}
