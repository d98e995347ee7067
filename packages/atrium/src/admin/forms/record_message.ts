import type { HttpContext } from '@adonisjs/core/http'
import type { KeyValue } from '#base/columns/key'
import type { AdminSite } from '../admin_site.js'
import type { Flash } from '../http/flash.js'
import type { ModelView } from '../model_view.js'
import { recordLinks } from '../record/record_links.js'
import { isolated, partsOf, plainText } from '../text/plain_text.js'

const LONGEST_TITLE = 120

/**
 * Message about a record, whose title links to its form or page, whichever the user may open. [B18, L11, R16]
 *
 * @param text   catalogue key of a sentence with the placeholders `one` and `title`
 * @param title  of the record; undefined if the user does not see it
 */
export async function recordMessage(
  ctx: HttpContext,
  site: AdminSite,
  view: ModelView,
  text: string,
  { key, title }: { key: KeyValue; title: string | undefined }
): Promise<Flash> {
  const path = view.resource.key.toPath(key)
  const number = key.join(', ')
  /* The sentence names the model already. */
  const isNumbered = title === undefined || title === `${view.singular} ${number}`
  const shown = plainText(isNumbered ? number : title, LONGEST_TITLE).text
  /* Not by `site.text` with the title, which keeps its answers. */
  const sentence = partsOf(site.text(text, { one: view.singular, title: isolated('title') }))
  const parts = sentence.map((part) => (part.isolated ? { ...part, text: shown } : part))
  const linkTo = title === undefined ? () => null : await recordLinks(ctx, view, [key])
  return {
    kind: 'success',
    text: parts.map((part) => part.text).join(''),
    record: {
      model: view.name,
      key: path.slice(1),
      parts,
      url: linkTo(key),
    },
  }
}
