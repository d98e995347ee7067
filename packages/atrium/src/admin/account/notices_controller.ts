import type { HttpContext } from '@adonisjs/core/http'
import type { AdminSite } from '../admin_site.js'
import { sentTexts, singleText } from '../http/form_texts.js'
import { returnPath } from '../http/return_path.js'
import { guardOf } from '../authentication/sessions/admin_guard.js'

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
