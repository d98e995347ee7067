import type { HttpContext } from '@adonisjs/core/http'
import type { KeyValue } from '#base/columns/key'
import type { Site } from '../views/site.js'
import type { ListParameters } from '../list/list_parameters.js'
import type { ModelView } from '../views/model_view.js'
import { parentRecord } from '../record/related_list.js'
import type { Flash } from '../http/flash.js'
import { recordLinks } from '../http/record_links.js'
import { isolated, partsOf, plainText } from '../text/plain_text.js'
import { redirectPage } from '../http/redirect.js'

/**
 * Redirects to the list.
 *
 * @param list  parameters of the list; null for the first page of the whole list
 */
async function goToList(
  site: Site,
  view: ModelView,
  ctx: HttpContext,
  list: ListParameters | null
): Promise<void> {
  /* A user who cannot see the list is redirected to the dashboard. */
  const isVisible = await view.isVisibleTo(ctx)
  redirectPage(ctx, isVisible ? (list?.url ?? view.url('/')) : site.url('/'))
}

/**
 * Redirects to the page that a form was opened from: the parent record if the URL contains one, otherwise the list.
 *
 * @param list  parameters of the list; null if the form was not opened from it
 */
export async function goBack(
  site: Site,
  view: ModelView,
  ctx: HttpContext,
  list: ListParameters | null
): Promise<void> {
  const parent = list ? null : await parentRecord(ctx, site, view)
  if (parent) redirectPage(ctx, parent.url)
  else await goToList(site, view, ctx, list)
}

const LONGEST_TITLE = 120

/**
 * Returns a success message about a record. The title links to the form or page of the record if the user is allowed
 * to open it.
 *
 * @param text   catalogue key of a sentence with the placeholders `one` and `title`
 * @param title  title of the record; undefined if the user can't see the record
 */
export async function recordMessage(
  ctx: HttpContext,
  site: Site,
  view: ModelView,
  text: string,
  { key, title }: { key: KeyValue; title: string | undefined }
): Promise<Flash> {
  const path = view.resource.key.toPath(key)
  const number = key.join(', ')
  /* Only the key is shown, as the sentence already contains the name of the model. */
  const isNumbered = title === undefined || title === `${view.singular} ${number}`
  const shown = plainText(isNumbered ? number : title, LONGEST_TITLE).text
  /* `site.text` caches its results, so it is called with a placeholder, which is then replaced by the title. */
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
