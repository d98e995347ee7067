import type { IncomingMessage } from 'node:http'
import type { HttpContext } from '@adonisjs/core/http'
import { shown, ValueError } from '../errors.js'
import { settingsOf } from '../settings.js'
import { servedHosts } from './served_hosts.js'

/*
 * The base path is the path of APP_URL, below which a proxy serves the application. All paths of the engine begin with
 * the base path, those of its routes and those in its pages. If the proxy has removed it from a request, it is added
 * again before the request is routed.
 */

const BASE = /^(?:\/(?!\.{1,2}(?:\/|$))[\w.~-]+)+$/

const FORWARDED = 'x-forwarded-prefix'

/** Requests whose URL no longer has the base path */
const STRIPPED = new WeakSet<IncomingMessage>()

let known: { address: string | undefined; path: string } | undefined

/**
 * Returns the base path, such as `/atrium`; empty if the application is at the root of its host.
 *
 * @throws ValueError  for a path of APP_URL that needs encoding
 */
export function basePath(): string {
  const address = settingsOf<{ appUrl?: string }>('app')?.appUrl
  if (!known || known.address !== address) known = { address, path: pathIn(address) }
  return known.path
}

function pathIn(address: string | undefined): string {
  const path = address && URL.canParse(address) ? new URL(address).pathname : '/'
  const base = path.replace(/\/+$/, '')
  if (base === '' || BASE.test(base)) return base
  throw new ValueError(
    `APP_URL (appUrl of config/app.ts) has the path ${shown(path)}, and it must consist of letters, digits and . _ ~ - after a / each`
  )
}

/** Returns a path with the base path. */
export function withBase(path: string): string {
  return basePath() + path
}

/** Returns a path of the engine without the base path. */
export function withoutBase(path: string): string {
  const base = basePath()
  return isBelow(path, base) ? path.slice(base.length) || '/' : path
}

let isEnginePath: (path: string) => boolean = () => false

/**
 * Sets the function that decides whether a path with the base path belongs to the engine.
 *
 * @returns the previous function
 */
export function useEnginePaths(decides: typeof isEnginePath): typeof isEnginePath {
  const before = isEnginePath
  isEnginePath = decides
  return before
}

/**
 * Returns the URL of a request without the base path, as routes of the application expect it.
 *
 * A proxy that has removed the base path sends it as `X-Forwarded-Prefix`. With this header, a path that begins with
 * the base path can still lack it: `/admin/login` below `https://example.com/admin` can be `/admin/admin/login`.
 */
export function innerUrl(request: IncomingMessage): string {
  const { url = '/' } = request
  const base = basePath()
  if (base === '' || STRIPPED.has(request)) return url
  const [, origin = '', target] = /^([a-z][a-z\d+.-]*:\/\/[^/?#]*)?(.*)$/is.exec(url)!
  const [path] = target.split('?', 1)
  if (!isBelow(path, base)) return url
  if (forwardedPrefix(request) === base && isEnginePath(base + path)) return url
  const inner = target.slice(base.length)
  return origin + (inner.startsWith('/') ? inner : `/${inner}`)
}

/** Removes the base path from the URL of a request, before anything else reads it. */
export function stripBase(request: IncomingMessage): void {
  if (basePath() === '') return
  request.url = innerUrl(request)
  STRIPPED.add(request)
}

/** Returns the base path if the URL of the request lacks it, otherwise an empty string. */
export function missingBase({ request }: HttpContext): string {
  const base = basePath()
  return base !== '' && innerUrl(request.request) === request.request.url ? base : ''
}

/** Adds the base path to the URL of a request of the engine. */
export function addBase({ request }: HttpContext, base: string): void {
  if (base === '') return
  request.parsedUrl.pathname = base + (request.parsedUrl.pathname ?? '/')
  const { url = '/' } = request.request
  request.request.url = url.replace(/^([a-z][a-z\d+.-]*:\/\/[^/?#]*)?/i, `$1${base}`)
}

/** Returns the prefix that a trusted proxy has removed; undefined without one, and for anything but a path. */
function forwardedPrefix(request: IncomingMessage): string | undefined {
  const header = request.headers[FORWARDED]
  if (header === undefined || !servedHosts().trusts(request)) return undefined
  const prefix = String(header).split(',', 1)[0].trim().replace(/\/+$/, '')
  return BASE.test(prefix) ? prefix : undefined
}

let isWarned = false

/** Warns once about a proxy that removes another path than that of APP_URL: the links of pages lead nowhere then. */
export function warnOfPrefix({ logger, request }: HttpContext): void {
  if (isWarned || request.request.headers[FORWARDED] === undefined) return
  const prefix = forwardedPrefix(request.request)
  if (prefix === undefined || prefix === basePath()) return
  isWarned = true
  logger.warn(
    `The proxy removes the path ${prefix} (X-Forwarded-Prefix), which is not that of APP_URL. Let APP_URL end with ${prefix}`
  )
}

function isBelow(path: string, base: string): boolean {
  return path.startsWith(base) && ['', '/', '?'].includes(path.charAt(base.length))
}
