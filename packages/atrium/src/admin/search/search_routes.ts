import type { AdminSite } from '../admin_site.js'
import { signInGuard } from '../http/guards.js'
import { readBody } from '../http/read_body.js'
import { controller } from '../http/lazy_part.js'
import { siteRoutes } from '../http/site_routes.js'

/** Registers the search of the site. */
export function searchRoutes(site: AdminSite): void {
  const search = controller(
    () => import('./site_search.js'),
    ({ SearchController }) => new SearchController(site)
  )
  siteRoutes(site, [signInGuard, readBody], ({ get }) => get('/search', 'search', search('show')))
}
