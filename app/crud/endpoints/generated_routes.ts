import type { HttpContext } from '@adonisjs/core/http'
import { crudConfig } from '../settings.js'

const HANDLERS = new WeakSet<object>()
const BODY_READERS = new WeakSet<object>()
const MOUNTS = new Set<string>()

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
 * Remembers that a route reads its requests' bodies itself, once it knows who sends them.
 */
export function markBodyReader(handler: object): void {
  BODY_READERS.add(handler)
}

/**
 * Whether the request reached a route that reads the body itself.
 */
export function readsBody(ctx: HttpContext): boolean {
  return (
    isGeneratedRoute(ctx) ||
    (typeof ctx.route?.handler === 'function' && BODY_READERS.has(ctx.route.handler))
  )
}

/**
 * Remembers where endpoints lie.
 */
export function markMounted(path: string): void {
  MOUNTS.add(path)
}

/**
 * Whether a path lies below the prefix of the generated endpoints; without a prefix, below one of
 * their own paths, as all others are the application's.
 */
export function isBelowPrefix(path: string): boolean {
  const { prefix } = crudConfig()
  const places = prefix === '' ? MOUNTS : [prefix, ...MOUNTS]
  return [...places].some((place) => path === place || path.startsWith(`${place}/`))
}
