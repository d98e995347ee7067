import type { HttpContext } from '@adonisjs/core/http'
import type { AdminSite } from '../admin_site.js'
import { sentTexts, singleText } from '../http/form_texts.js'
import { returnPath } from '../http/site_paths.js'

export const THEMES = ['light-theme', 'dark-theme'] as const

export type Theme = (typeof THEMES)[number]

/**
 * Keeps the theme that the viewer has chosen, in the browser: the login page has it, too.
 */
export function keepTheme(ctx: HttpContext, site: AdminSite, theme: Theme): void {
  ctx.response.plainCookie('admin_theme', theme, {
    encode: false,
    httpOnly: true,
    sameSite: 'lax',
    path: site.mountPath || '/',
    secure: site.secureCookies,
    maxAge: 365 * 24 * 3600,
  })
}

/**
 * Stores the theme that the viewer has chosen.
 */
export class ThemeController {
  constructor(private readonly site: AdminSite) {}

  update(ctx: HttpContext) {
    const texts = sentTexts(ctx)
    const theme = THEMES.find((one) => one === singleText(texts, 'theme'))
    if (theme) keepTheme(ctx, this.site, theme)
    /* The login page has the switch too; returning to the logout page would end the session. */
    const next = returnPath(this.site, singleText(texts, 'next'), ['/logout']) ?? this.site.url('/')
    ctx.response.status(303).header('location', next).send('')
  }
}
