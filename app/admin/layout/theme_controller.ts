import type { HttpContext } from '@adonisjs/core/http'
import type { AdminSite } from '../admin_site.js'
import { sentTexts, singleText } from '../http/form_texts.js'
import { returnPath } from '../http/return_path.js'

/**
 * Stores the theme that the viewer has chosen.
 */
export class ThemeController {
  constructor(private readonly site: AdminSite) {}

  update(ctx: HttpContext) {
    const texts = sentTexts(ctx)
    const theme = singleText(texts, 'theme')
    if (theme === 'dark-theme' || theme === 'light-theme') {
      ctx.response.plainCookie('admin_theme', theme, {
        encode: false,
        httpOnly: true,
        sameSite: 'lax',
        path: this.site.mountPath || '/',
        secure: this.site.secureCookies,
        maxAge: 365 * 24 * 3600,
      })
    }
    /* The login page has the switch too; returning to the logout page would end the session. */
    const next = returnPath(this.site, singleText(texts, 'next'), ['/logout']) ?? this.site.url('/')
    ctx.response.status(303).header('location', next).send('')
  }
}
