import type { HttpContext } from '@adonisjs/core/http'
import type { AdminSite } from '../admin_site.js'
import { returnPath } from '../http/return_path.js'

/**
 * The viewer's own choice of theme.
 */
export class ThemeController {
  constructor(private readonly site: AdminSite) {}

  update(ctx: HttpContext) {
    const theme = ctx.request.input('theme')
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
    /* The login page has the switch, too; the way out would end the session. */
    const next = returnPath(this.site, ctx.request.input('next'), ['/logout']) ?? this.site.url('/')
    ctx.response.status(303).header('location', next).send('')
  }
}
