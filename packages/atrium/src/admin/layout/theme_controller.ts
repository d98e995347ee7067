import type { HttpContext } from '@adonisjs/core/http'
import type { AdminSite } from '../admin_site.js'
import { sentTexts, singleText } from '../http/form_texts.js'
import { returnPath } from '../http/return_path.js'
import { keepTheme, THEMES } from './theme.js'

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
