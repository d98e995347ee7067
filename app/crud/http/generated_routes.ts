import type { HttpContext } from '@adonisjs/core/http'
import { crudConfig } from '../settings.js'

const HANDLERS = new WeakSet<object>()

/**
 * Remembers that a route's handler is one of the generated ones.
 */
export function markGenerated(handler: object): void {
  HANDLERS.add(handler)
}

/**
 * Whether the request reached a generated route.
 */
export function isGeneratedRoute(ctx: HttpContext): boolean {
  return typeof ctx.route?.handler === 'function' && HANDLERS.has(ctx.route.handler)
}

/**
 * Whether a path lies below the prefix of the generated endpoints.
 */
export function isBelowPrefix(path: string): boolean {
  const { prefix } = crudConfig()
  return path === prefix || path.startsWith(`${prefix}/`)
}
