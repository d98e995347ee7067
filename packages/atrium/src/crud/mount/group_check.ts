import type { Route } from '@adonisjs/core/http'
import hostRouter from '@adonisjs/core/services/router'
import { RuntimeError } from '#base/errors'

/* What a route without a group has */
const PATTERN = '/'
const DOMAIN = 'root'

let calls: { model: string; route: Route }[] = []

/**
 * Adds a route to the application's router that is never served. A group around a call of `crudRouter` changes it, as it
 * would change the endpoints if they were on that router.
 */
export function noteGroup(model: string): void {
  const route = hostRouter.route(PATTERN, [], () => {})
  route.markAsDeleted()
  calls.push({ model, route })
}

/**
 * To be called when all routes are known.
 *
 * @throws RuntimeError  if a group has set what the endpoints of a model would lack, such as its middleware [K4.6]
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
  if (domain !== DOMAIN)
    advice.push('There is no option for .domain(): endpoints are on all domains.')
  return advice
}
