import type { HttpContext } from '@adonisjs/core/http'
import type { AdminSite } from '../../admin_site.js'
import { sentTexts } from '../../http/form_texts.js'
import { pageAddress } from '../../http/page_address.js'
import type { ModelView } from '../../model_view.js'
import type { FormMode } from '../fields/form_fields.js'
import { carriedIn, FOR, KEPT, withCarried } from './carried.js'
import { keepableTexts } from './keepable_texts.js'
import { guardOf } from '../../authentication/sessions/admin_guard.js'

/**
 * Keeps a form that was refused until its user proves again who they are: it is shown again afterwards, and nothing
 * of it is done. Passwords are not kept. [U11, R10]
 *
 * @returns address of the page that shows it; null if it is not kept
 */
export async function keepUnproved(
  site: AdminSite,
  ctx: HttpContext,
  view: ModelView,
  mode: FormMode
): Promise<string | null> {
  const { owner } = guardOf(ctx).signedInOrFail()
  try {
    const texts = keepableTexts(site, view, mode, sentTexts(ctx))
    const address = withCarried(await pageAddress(site, ctx), FOR, carriedIn(ctx, FOR))
    const id = await site.keptForms.keep(owner.id, { address, texts, reason: 'unproved' })
    return id === null ? null : withCarried(address, KEPT, id)
  } catch (error) {
    ctx.logger.error({ err: error }, 'What was typed into a form could not be stored')
    return null
  }
}
