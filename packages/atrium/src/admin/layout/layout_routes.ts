import type { AdminSite } from '../admin_site.js'
import { signInGuard } from '../http/guards.js'
import { readPlainBody } from '../http/read_body.js'
import { controller } from '../http/lazy_part.js'
import { siteRoutes } from '../http/site_routes.js'

/** Registers the routes of the assets, the theme and the keyboard shortcuts. */
export function layoutRoutes(site: AdminSite): void {
  const assets = controller(
    () => import('./site_controllers.js'),
    ({ AssetsController }) => new AssetsController(site.assets)
  )
  const theme = controller(
    () => import('./site_controllers.js'),
    ({ ThemeController }) => new ThemeController(site)
  )
  const keys = controller(
    () => import('./site_controllers.js'),
    ({ KeysController }) => new KeysController(site)
  )
  siteRoutes(site, [readPlainBody], ({ get, post }) => {
    get('/assets/:file', 'assets', assets('show'))
    post('/theme', 'theme', theme('update'))
  })
  siteRoutes(site, [signInGuard, readPlainBody], ({ get }) => get('/keys', 'keys', keys('show')))
}
