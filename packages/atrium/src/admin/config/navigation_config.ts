import type { HttpContext } from '@adonisjs/core/http'
import { ValueError } from '#crud'
import { checkEach, FUNCTION, isList, isObject, LABEL, TEXTS, type Check } from '#base/checks'
import { shown } from '#base/errors'
import { withBase, withoutBase } from '#base/http/base_path'

/** A link of the sidebar. */
export interface NavigationLink {
  label: string
  /** A path of this server that begins with a single `/`, or an address with http or https */
  href: string
  /** Group of the sidebar. Default: Links */
  group?: string
  /**
   * Returns a number to show next to the label; none is shown for 0. Operations of `LucidCrud` that it calls have the
   * permissions of the signed-in user.
   */
  badge?: (ctx: HttpContext) => number | Promise<number>
}

/** Order of the sidebar, and links in it. */
export interface Navigation {
  /** Labels of the groups that come first, in this order; all other groups follow in the order of their first entry */
  groups?: readonly string[]
  links?: readonly NavigationLink[]
}

const LINK: Record<keyof NavigationLink, Check> = {
  label: LABEL,
  href: [
    (value) => typeof value === 'string' && isHref(value),
    "a path such as '/reports' or an address with http or https",
  ],
  group: LABEL,
  badge: FUNCTION,
}

const NAVIGATION: Record<keyof Navigation, Check> = {
  groups: TEXTS,
  links: [
    (value) => isList(value, isObject),
    "a list of links, as in { label: 'Help', href: '/help' }",
  ],
}

/** @throws ValueError  for an unknown option, an invalid value, or a link without a label or an address */
export function checkNavigation(place: string, navigation: Navigation): void {
  checkEach(place, navigation, NAVIGATION, { group: 'navigation', mayBeUndefined: true })
  for (const [at, link] of [...(navigation.links ?? [])].entries()) {
    const group = `navigation.links[${at}]`
    checkEach(place, link, LINK, { group, mayBeUndefined: true })
    for (const name of ['label', 'href'] as const) {
      if (link[name] !== undefined) continue
      throw new ValueError(`${place}: ${group} is ${shown(link)}, and needs a ${name}`)
    }
  }
}

/** Returns true for a link that leads to a page, unlike `javascript:` or `//another.host`. */
function isHref(text: string): boolean {
  // eslint-disable-next-line no-control-regex
  if (/[\u0000-\u0020\\]/.test(text)) return false
  return /^\/(?!\/)/.test(text) || (/^https?:\/\//i.test(text) && URL.canParse(text))
}

/** Returns the address of a link; a path has the base path of APP_URL. */
export function addressOf({ href }: NavigationLink): string {
  return href.startsWith('/') ? withBase(withoutBase(href)) : href
}
