import type { HttpContext } from '@adonisjs/core/http'
import { flashOf } from '../http/flash.js'
import { referringPage } from '../http/referring_page.js'
import type { ModelView } from '../model_view.js'

/**
 * The record that the user has just worked on: the one that the message is about, or whose form or page they
 * come from. [L11]
 *
 * @returns its key as in paths, without the leading slash; null if there is none
 */
export async function markedRecord(ctx: HttpContext, view: ModelView): Promise<string | null> {
  const flash = await flashOf(ctx)
  const told = flash?.record
  if (told) return told.model === view.name ? told.key : null
  const path = referringPage(ctx)?.pathname ?? ''
  const form = ['/update/', '/form_update/', '/view/']
    .map((name) => view.url(name))
    .find((address) => path.startsWith(address))
  return form === undefined ? null : path.slice(form.length)
}
