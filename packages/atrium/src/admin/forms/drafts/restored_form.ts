import type { HttpContext } from '@adonisjs/core/http'
import type { AdminSite } from '../../admin_site.js'
import { giveTexts } from '../../http/form_texts.js'
import { isolated, partsOf } from '../../text/plain_text.js'
import type { FormField } from '../fields/form_field.js'
import { guardOf } from '../../identity/admin_guard.js'
import { draftParameter, DRAFT } from './draft_parameters.js'
import { hasUnsavableFields } from './save_draft.js'

/**
 * Adds the texts of a draft to the request as if they were submitted, so that the page shows them again. Only for the
 * user who entered them, and only on the same page.
 *
 * @param fields  fields of the form
 * @returns notes to show; null without a draft
 */
export async function restoreTexts(
  ctx: HttpContext,
  site: AdminSite,
  fields: readonly FormField[]
): Promise<string[] | null> {
  const id = draftParameter(ctx, DRAFT)
  if (id === null) return null
  const { owner } = guardOf(ctx).signedInOrFail()
  const stored = await site.drafts.find(owner.id, id)
  if (!stored || pathOf(stored.address) !== ctx.request.parsedUrl.pathname) return null
  giveTexts(ctx, new Map(Object.entries(stored.texts)))
  const { reason, made } = stored
  return [
    made === undefined ? site.text(`form.restored.${reason}`) : aboutMade(site, made),
    ...(hasUnsavableFields(fields) ? [site.text('form.restored.without')] : []),
  ]
}

/** Returns the note about a created record. The title is inserted afterwards, as `site.text` caches its results. */
function aboutMade(site: AdminSite, title: string): string {
  const parts = partsOf(site.text('form.restored.made', { title: isolated('title') }))
  return parts.map(({ text, isolated: isTitle }) => (isTitle ? title : text)).join('')
}

/** Deletes the draft of a form that has been saved. */
export async function deleteDraft(ctx: HttpContext, site: AdminSite): Promise<void> {
  const id = draftParameter(ctx, DRAFT)
  if (id === null) return
  const { owner } = guardOf(ctx).signedInOrFail()
  await site.drafts.drop(owner.id, id)
}

function pathOf(address: string): string {
  return address.split('?', 1)[0]
}
