import type { HttpContext } from '@adonisjs/core/http'
import { basePath } from '#base/http/base_path'
import { crudConfig } from '../settings.js'

const HANDLERS = new WeakSet<object>()
const MOUNTS = new Set<string>()

/** Marks a route's handler as generated. */
export function markGenerated(handler: object): void {
  HANDLERS.add(handler)
}

/** True if the request matched a generated route. */
export function isGeneratedRoute(ctx: HttpContext): boolean {
  return typeof ctx.route?.handler === 'function' && HANDLERS.has(ctx.route.handler)
}

/** Registers the path of mounted endpoints. */
export function markMounted(path: string): void {
  MOUNTS.add(path)
}

/**
 * Returns the prefix of the generated endpoints that a path is below. If no prefix is configured, returns the path of
 * the mounted endpoints instead, because all other paths belong to the application. Undefined for any other path.
 */
export function prefixOf(path: string): string | undefined {
  const { prefix } = crudConfig()
  const places = prefix === basePath() ? MOUNTS : [prefix, ...MOUNTS]
  return [...places].find((place) => path === place || path.startsWith(`${place}/`))
}

/** True if a path is below the prefix of the generated endpoints. */
export function isBelowPrefix(path: string): boolean {
  return prefixOf(path) !== undefined
}
