import type { AdminSite } from '../admin_site.js'
import { isBelowMount } from './below_mount.js'

/* Longer than any page's address, and short enough to go there by a `Location`. */
const LONGEST = 2048

/**
 * The page that somebody first asked for, if it is one of the site: never another host, and not the
 * doors themselves. [B3]
 *
 * @param doors  pages that are none to come back to
 */
export function returnPath(
  site: AdminSite,
  wanted: unknown,
  doors = ['/login', '/logout']
): string | undefined {
  if (typeof wanted !== 'string' || wanted.length > LONGEST) return undefined
  if (!/^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/.test(wanted)) return undefined
  const here = 'http://here.invalid'
  let url: URL
  let routed: string
  try {
    url = new URL(wanted, here)
    /* The router takes a path for the same with percent signs, or with a slash at its end. */
    routed = decodeURI(url.pathname).replace(/\/$/, '')
  } catch {
    return undefined
  }
  const { pathname } = url
  const isInside = isBelowMount(site, pathname) && isBelowMount(site, routed || '/')
  const isDoor = doors.some((door) => routed === site.url(door))
  if (url.origin !== here || !isInside || isDoor || pathname.startsWith('//')) return undefined
  return pathname + url.search
}
