import type { Router, Route, Server } from '@adonisjs/core/http'
import hostRouter from '@adonisjs/core/services/router'
import { listed, RuntimeError } from '#base/errors'
import { withBase, withoutBase } from '#base/http/base_path'
import { engineRouter } from '#base/http/engine_router'
import BodyParserMiddleware from '@adonisjs/core/bodyparser_middleware'
import MountMiddleware from '../mount_middleware.js'
import { isMoreSpecific } from './mounted_parts.js'

/** Maximum number of routes in the warning */
const SHOWN = 5

/**
 * Returns the routes of the engine that are completely replaced by a route of the application, as `/admin/*` replaces
 * `/admin/:model`. A login form, for example, would be sent to the application.
 *
 * @param router  router of the application, after its commit
 * @returns lines such as `GET /admin/:model (/admin/*)`
 */
export function replacedRoutes(router: Router = hostRouter): string[] {
  const patterns = Object.values(router.toJSON()).flatMap((routes) =>
    routes.map(({ pattern }) => withBase(pattern))
  )
  const routes = engineRouter().routesAt(patterns).root ?? []
  return routes.flatMap(({ methods, pattern }) =>
    methods.flatMap((method) => {
      if (method === 'HEAD') return []
      const inner = withoutBase(pattern)
      const hosts = router.match(inner, method, false)?.route
      const isReplaced = hosts && !isMoreSpecific(inner, hosts.pattern)
      return isReplaced ? `${method} ${pattern} (${hosts.pattern})` : []
    })
  )
}

/** Returns the startup warning about replaced routes; undefined if there are none. */
export function replacementWarning(routes: string[]): string | undefined {
  if (routes.length === 0) return undefined
  const more = routes.length > SHOWN ? [`${routes.length - SHOWN} more`] : []
  const names = listed([...routes.slice(0, SHOWN), ...more])
  return `Routes of the application respond instead of these of the engine: ${names}`
}

/* Values of a route outside a group */
const PATTERN = '/'
const DOMAIN = 'root'

let calls: { model: string; route: Route }[] = []

/**
 * Adds a route to the application's router that is never served. A group around a call of `crudRouter` changes this
 * route in the same way as it would change the endpoints on that router.
 */
export function noteGroup(model: string): void {
  const route = hostRouter.route(PATTERN, [], () => {})
  route.markAsDeleted()
  calls.push({ model, route })
}

/**
 * Checks the groups around calls of `crudRouter`. Must be called when all routes are known.
 *
 * @throws RuntimeError  if a group sets something that would not apply to the endpoints of a model, such as middleware
 */
export function checkGroups(): void {
  const noted = calls
  calls = []
  for (const { model, route } of noted) {
    const advice = adviceOn(route)
    if (advice.length === 0) continue
    throw new RuntimeError(
      `crudRouter({ model: ${model} }) is called inside router.group(), which does not apply to the endpoints. Call it outside of the group. ${advice.join(' ')}`
    )
  }
}

function adviceOn(route: Route): string[] {
  const { pattern, domain } = route.toJSON()
  const advice: string[] = []
  if (route.getMiddleware().flat().length > 0) advice.push('Instead of .use(), set `middleware`.')
  if (pattern !== PATTERN) advice.push('Instead of .prefix(), set `path`.')
  if (domain !== DOMAIN) advice.push('Endpoints are on all domains; .domain() has no option.')
  return advice
}

/**
 * Checks the order of the middleware.
 *
 * @param middleware  middleware of the server
 * @throws RuntimeError  when the mount middleware is missing, or a body parser is before it: the engine reads bodies
 *   itself, with its own limits
 */
export async function requireMount(
  middleware: ReturnType<Server['getMiddlewareList']>
): Promise<void> {
  for (const { reference } of middleware) {
    if (reference === MountMiddleware) return
    const loaded = await (reference as () => Promise<{ default?: unknown }>)()
    if (loaded.default === MountMiddleware) return
    if (loaded.default === BodyParserMiddleware) throw readsBodies()
  }
  throw new RuntimeError(
    "start/kernel.ts: add () => import('adonis-atrium/middleware') to server.use([...]), as its last entry. Without it nothing serves the endpoints and the admin site"
  )
}

const readsBodies = () =>
  new RuntimeError(
    "start/kernel.ts: move () => import('@adonisjs/core/bodyparser_middleware') from server.use([...]) to router.use([...]). The endpoints and the admin site read bodies themselves"
  )
