import type { HttpContext } from '@adonisjs/core/http'
import type { AdminSite } from '../../admin_site.js'
import { giveTexts } from '../../http/form_texts.js'
import { isolated, partsOf } from '../../text/plain_text.js'
import type { FormField } from '../fields/form_field.js'
import { guardOf } from '../../identity/admin_guard.js'
import { draftParameter, DRAFT } from './draft_parameters.js'
import { hasUnsavableFields } from './save_draft.js'

/**
 * Gives the request the texts that were stored of the form, as if they were sent with it: the page is to show them
 * again. Only to the person who typed them, on the page that they were typed on. [R5, R10]
 *
 * @param fields  of the form
 * @returns sentences about it; null without a draft
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

/** Not by `site.text` with the title, which caches its results. */
function aboutMade(site: AdminSite, title: string): string {
  const parts = partsOf(site.text('form.restored.made', { title: isolated('title') }))
  return parts.map(({ text, isolated: isTitle }) => (isTitle ? title : text)).join('')
}

/**
 * Deletes the draft of a form that is saved now.
 */
export async function deleteDraft(ctx: HttpContext, site: AdminSite): Promise<void> {
  const id = draftParameter(ctx, DRAFT)
  if (id === null) return
  const { owner } = guardOf(ctx).signedInOrFail()
  await site.drafts.drop(owner.id, id)
}

function pathOf(address: string): string {
  return address.split('?', 1)[0]
}
