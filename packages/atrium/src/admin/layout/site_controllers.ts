import type { HttpContext } from '@adonisjs/core/http'
import { sendAsset } from '#base/http/asset_store'
import type { Site } from '../views/site.js'
import type { WithCookies } from '../authentication/login/first_step.js'
import type { WithPreferences } from '../preferences/preferences.js'
import { sentTexts, singleText } from '../http/form_texts.js'
import { returnPath } from '../http/site_paths.js'
import {
  PAGE_KEYS,
  KEY_GROUPS,
  KEYS,
  shownKey,
  writtenKeys,
  hasSingleKeys,
} from '../keyboard/keys.js'
import { PageNotFound } from '../http/errors.js'
import { redirect } from '../http/redirect.js'
import type { AssetStore } from '#base/http/asset_store'

export const THEMES = ['light-theme', 'dark-theme', 'system-theme'] as const

export type Theme = (typeof THEMES)[number]

/** Saves the viewer's theme in a cookie, so that it also applies to the login page. */
export function keepTheme(ctx: HttpContext, site: Site & WithCookies, theme: Theme): void {
  ctx.response.plainCookie('admin_theme', theme, {
    encode: false,
    httpOnly: true,
    sameSite: 'lax',
    path: site.mountPath || '/',
    secure: site.secureCookies,
    maxAge: 365 * 24 * 3600,
  })
}

/** Stores the theme that the viewer has chosen. */
export class ThemeController {
  constructor(private readonly site: Site & WithCookies) {}

  update(ctx: HttpContext) {
    const texts = sentTexts(ctx)
    const theme = THEMES.find((one) => one === singleText(texts, 'theme'))
    if (theme) keepTheme(ctx, this.site, theme)
    /*
     * The login page also has the theme switch. If that page was opened after a logout, `next` may be the logout page,
     * which would end the session.
     */
    const next = returnPath(this.site, singleText(texts, 'next'), ['/logout']) ?? this.site.url('/')
    redirect(ctx, next)
  }
}

/** All keyboard shortcuts of the site, as a page or as the content of the dialog. */
export class KeysController {
  constructor(private readonly site: Site & WithPreferences) {}

  async show(ctx: HttpContext): Promise<string> {
    const isPart = ctx.request.header('hx-request') !== undefined
    ctx.response.vary('HX-Request')
    const isSingle = await hasSingleKeys(ctx, this.site)
    return await this.site.render(ctx, isPart ? 'partials/keys_dialog' : 'pages/keys', {
      hasSingleKeys: isSingle,
      written: writtenKeys(isSingle),
      pageKeys: PAGE_KEYS,
      keyGroups: KEY_GROUPS.map((group) => ({
        label: this.site.text(`keys.${group}.label`),
        rows: KEYS.filter((key) => key.group === group).map(({ does, keys }) => ({
          text: this.site.text(`keys.${group}.${does}`),
          keys: keys.map(shownKey),
        })),
      })),
    })
  }
}

/** Serves stylesheets and scripts under file names that contain a hash of their content. */
export class AssetsController {
  constructor(private readonly load: () => Promise<AssetStore>) {}

  async show(ctx: HttpContext): Promise<void> {
    const assets = await this.load()
    const asset = await assets.find(ctx.params.file)
    if (!asset) throw new PageNotFound()
    sendAsset(ctx, asset)
  }
}
