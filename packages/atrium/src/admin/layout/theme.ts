import type { HttpContext } from '@adonisjs/core/http'
import type { AdminSite } from '../admin_site.js'

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
