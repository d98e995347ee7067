import type { Router } from '@adonisjs/core/http'
import applicationRouter from '@adonisjs/core/services/router'
import { listed } from '#base/errors'
import { engineRouter } from '#base/http/engine_router'
import { isMoreSpecific } from './specificity.js'

/** Maximum routes that the warning names */
const SHOWN = 5

/**
 * Finds the routes of the engine that a route of the application replaces entirely, as `/admin/*` replaces
 * `/admin/:model`. A login form, for example, would be sent to the application.
 *
 * @param hostRouter  of the application, committed
 * @returns  lines such as `GET /admin/:model (/admin/*)`
 */
export function replacedRoutes(hostRouter: Router = applicationRouter): string[] {
  const patterns = Object.values(hostRouter.toJSON()).flatMap((routes) =>
    routes.map(({ pattern }) => pattern)
  )
  const routes = engineRouter().routesAt(patterns).root ?? []
  return routes.flatMap(({ methods, pattern }) =>
    methods.flatMap((method) => {
      if (method === 'HEAD') return []
      const hosts = hostRouter.match(pattern, method, false)?.route
      const isReplaced = hosts && !isMoreSpecific(pattern, hosts.pattern)
      return isReplaced ? `${method} ${pattern} (${hosts.pattern})` : []
    })
  )
}

/** The warning of the start about replaced routes; undefined if there are none. [K4.7] */
export function replacementWarning(routes: string[]): string | undefined {
  if (routes.length === 0) return undefined
  const more = routes.length > SHOWN ? [`${routes.length - SHOWN} more`] : []
  const names = listed([...routes.slice(0, SHOWN), ...more])
  return `Routes of the application respond instead of these of the engine: ${names}`
}
