import type { Router } from '@adonisjs/core/http'
import { RuntimeError } from '../errors.js'

let own: Router | undefined

/**
 * The router of the engine: its routes are not on the application's router, which its middleware would reach. [K4]
 *
 * @throws RuntimeError  before the provider has booted
 */
export function engineRouter(): Router {
  if (own) return own
  throw new RuntimeError('There are no routes before the provider of #crud has booted')
}

/** Called by the provider. */
export function useRouter(router: Router): void {
  own = router
}
