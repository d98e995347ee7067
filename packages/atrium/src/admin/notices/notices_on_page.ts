import type { HttpContext } from '@adonisjs/core/http'
import { shownNotice, type ShownNotice, type Texts } from './notice_words.js'
import type { Notices } from './notices.js'
import { guardOf } from '../authentication/sessions/admin_guard.js'

/** The banner of a page. */
export interface NoticesOnPage extends ShownNotice {
  /** How many others there are */
  more: number
}

/**
 * The newest notice that the signed-in user has not seen yet, for the banner of a whole page. [U16]
 *
 * @returns null where there is none, and where somebody else looks at the site
 */
export async function noticesOf(
  site: Texts & { readonly notices: Notices },
  ctx: HttpContext
): Promise<NoticesOnPage | null> {
  const { signedIn } = guardOf(ctx)
  if (!signedIn || ctx.request.header('hx-request') !== undefined) return null
  const { acting, owner, session } = signedIn
  if (acting || owner.viewedRole !== undefined) return null
  try {
    const [newest, ...others] = await site.notices.unseen(owner, session.id)
    return newest ? { ...shownNotice(site, newest), more: others.length } : null
  } catch (error) {
    /* A page is shown without it rather than not at all. */
    ctx.logger.error({ err: error }, 'The notices of a user could not be read')
    return null
  }
}
