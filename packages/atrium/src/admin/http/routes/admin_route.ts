import type { HttpContext } from '@adonisjs/core/http'
import type { AdminSite } from '../../admin_site.js'
import { inZone } from '../../time/present_zone.js'
import { inZoneOfForm, zoneOfPerson } from '../../time/zone_of_person.js'

const ADMIN_ROUTES = new WeakSet<object>()

/**
 * Registers a route of the site, whose pages show times in the zone of the person who asks. [R12]
 *
 * @param path  path below the mount
 * @param name  route name after `admin.`
 */
export function adminRoute(
  site: AdminSite,
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  name: string,
  handle: (ctx: HttpContext) => unknown
): void {
  const handler = async (ctx: HttpContext) =>
    await inZone(await zoneOfPerson(ctx, site), () => inZoneOfForm(ctx, () => handle(ctx)))
  ADMIN_ROUTES.add(handler)
  const methods = method === 'GET' ? ['GET', 'HEAD'] : [method]
  site.router.route(site.url(path), methods, handler).as(`admin.${name}`)
}

/**
 * Returns true if the request matched one of the site's routes.
 */
export function isAdminRoute(ctx: HttpContext): boolean {
  return typeof ctx.route?.handler === 'function' && ADMIN_ROUTES.has(ctx.route.handler)
}
