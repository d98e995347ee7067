import { withBase } from '#base/http/base_path'
import { crudConfig } from '#crud'
import { isBelowPrefix } from '#crud/internals'
import type { Site } from '../views/site.js'

/* Paths at the server's root that a site mounted at the root does not handle. */
const OTHERS = ['/health']

/**
 * Returns true if the path belongs to the site. A site at the root does not handle the API, the API documentation and
 * the health checks.
 */
export function isBelowMount(site: Pick<Site, 'mountPath'>, path: string): boolean {
  const isOthers = [...OTHERS.map(withBase), crudConfig().docs.path].some(
    (other) => path === other || path.startsWith(`${other}/`)
  )
  if (isOthers || isBelowPrefix(path)) return false
  return path === site.mountPath || path.startsWith(`${site.mountPath}/`)
}

/** Returns a function that returns the mount path of the site for a path of it; undefined for any other path. */
export function mountPlace(site: Pick<Site, 'mountPath'>) {
  return (path: string) => (isBelowMount(site, path) ? site.mountPath : undefined)
}

/** Returns true if browsers interpret the URL as a path of the current host, unlike `//another.host`. */
export function isLocalAddress(address: string): boolean {
  return /^\/(?![/\\])/.test(address)
}

/* Maximum length: longer than the URL of any page, and short enough for a `Location` header. */
const LONGEST = 2048

/**
 * Validates the page to return to after login: a path of this site, never another host, and not the pages of login and
 * logout.
 *
 * @param excluded  paths of pages that are not allowed as target
 */
export function returnPath(
  site: Site,
  wanted: unknown,
  excluded = ['/login', '/login/second', '/login/sso', '/login/sso/callback', '/logout']
): string | undefined {
  if (typeof wanted !== 'string' || wanted.length > LONGEST) return undefined
  if (!isLocalAddress(wanted) || !/^[\x21-\x5b\x5d-\x7e]*$/.test(wanted)) return undefined
  const here = 'http://here.invalid'
  let url: URL
  let routed: string
  try {
    url = new URL(wanted, here)
    /* The router ignores percent-encoding and a trailing slash, so they are removed before the comparison. */
    routed = decodeURI(url.pathname).replace(/\/$/, '')
  } catch {
    return undefined
  }
  const { pathname } = url
  const isInside = isBelowMount(site, pathname) && isBelowMount(site, routed || '/')
  const isExcluded = excluded.some((path) => routed === site.url(path))
  if (url.origin !== here || !isInside || isExcluded || pathname.startsWith('//')) return undefined
  return pathname + url.search
}
