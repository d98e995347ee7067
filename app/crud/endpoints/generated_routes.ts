import type { HttpContext } from '@adonisjs/core/http'
import { crudConfig } from '../settings.js'

const HANDLERS = new WeakSet<object>()
const BODY_READERS = new WeakSet<object>()
const MOUNTS = new Set<string>()

/** Marks a route's handler as generated. */
export function markGenerated(handler: object): void {
  HANDLERS.add(handler)
}

/** True if the request matched a generated route. */
export function isGeneratedRoute(ctx: HttpContext): boolean {
  return typeof ctx.route?.handler === 'function' && HANDLERS.has(ctx.route.handler)
}

/** Marks a route that reads its request's body itself, after it has authorized the caller. */
export function markBodyReader(handler: object): void {
  BODY_READERS.add(handler)
}

/** True if the request matched a route that reads the body itself. */
export function readsBody(ctx: HttpContext): boolean {
  return (
    isGeneratedRoute(ctx) ||
    (typeof ctx.route?.handler === 'function' && BODY_READERS.has(ctx.route.handler))
  )
}

/** Records the path of mounted endpoints. */
export function markMounted(path: string): void {
  MOUNTS.add(path)
}

/**
 * True if a path is below the prefix of the generated endpoints; without a prefix, below a path of one
 * of them, as all other paths are the application's.
 */
export function isBelowPrefix(path: string): boolean {
  const { prefix } = crudConfig()
  const places = prefix === '' ? MOUNTS : [prefix, ...MOUNTS]
  return [...places].some((place) => path === place || path.startsWith(`${place}/`))
}
