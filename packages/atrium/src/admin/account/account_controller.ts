import type { HttpContext } from '@adonisjs/core/http'
import type { AdminSite } from '../admin_site.js'
import { EventType } from '../events/event_integration.js'
import { flashToNextPage } from '../http/flash.js'
import { sentTexts, singleText } from '../http/form_texts.js'
import { returnPath } from '../http/site_paths.js'
import { SINGLE_KEYS } from '../keyboard/keys.js'
import { keepTheme, THEMES } from '../layout/theme_controller.js'
import { DENSITIES } from '../list/saved_views/list_place.js'
import { USUAL_DENSITY } from '../list/saved_views/place_of.js'
import { isTimeZone } from '../time/time_zone.js'
import { TIME_ZONE } from '../time/zone_of_person.js'
import { guardOf } from '../authentication/sessions/admin_guard.js'
import { accountPage } from './account_page.js'

/**
 * The page of the signed-in user's own account, whatever their roles, and its preferences. [U1, U7]
 */
export class AccountController {
  constructor(private readonly site: AdminSite) {}

  async show(ctx: HttpContext): Promise<string> {
    return await accountPage(this.site, ctx)
  }

  /**
   * Keeps the preferences that the form names; those that it leaves out stay, as do those with a value that
   * there is not. An empty time zone is that of the site. [R12]
   */
  async prefer(ctx: HttpContext): Promise<void> {
    const { owner } = guardOf(ctx).signedInOrFail()
    const texts = sentTexts(ctx)
    const density = DENSITIES.find((one) => one === singleText(texts, 'density'))
    const theme = THEMES.find((one) => one === singleText(texts, 'theme'))
    const isSingle = switchIn(texts.get('single_keys'))
    const zone = singleText(texts, TIME_ZONE)
    await this.site.preferences.write(owner.id, {
      ...(isSingle !== undefined && { [SINGLE_KEYS]: isSingle ? null : false }),
      ...(density && { [USUAL_DENSITY]: density === DENSITIES[0] ? null : density }),
      ...((zone === '' || isTimeZone(zone)) && { [TIME_ZONE]: zone || null }),
    })
    if (theme) keepTheme(ctx, this.site, theme)
    this.site.logEvent(ctx, { type: EventType.VIEW, details: { page: 'preferences' } })
    if (ctx.request.header('hx-request') === undefined) {
      await flashToNextPage(ctx, { kind: 'success', text: this.site.text('account.saved') })
    }
    const next = returnPath(this.site, singleText(texts, 'next')) ?? this.site.url('/account')
    ctx.response.status(303).header('location', next).send('')
  }
}

/**
 * A checkbox that is behind a hidden field of its name with the value `off`.
 *
 * @returns undefined if the form has no such switch
 */
function switchIn(sent: readonly string[] | undefined): boolean | undefined {
  if (sent?.includes('on')) return true
  return sent?.includes('off') ? false : undefined
}

const LARGEST_ID = 2 ** 31 - 1

/**
 * Takes the signed-in user's word that they have seen what they were told. [U16]
 */
export class NoticesController {
  constructor(private readonly site: AdminSite) {}

  async see(ctx: HttpContext): Promise<void> {
    const { owner, session } = guardOf(ctx).signedInOrFail()
    const texts = sentTexts(ctx)
    const last = Number(singleText(texts, 'last'))
    if (Number.isInteger(last) && last > 0 && last <= LARGEST_ID) {
      await this.site.notices.see(owner.id, last, session.id)
    }
    const next = returnPath(this.site, singleText(texts, 'next')) ?? this.site.url('/account')
    ctx.response.status(303).header('location', next).send('')
  }
}
