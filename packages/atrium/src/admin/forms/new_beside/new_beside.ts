import type { HttpContext } from '@adonisjs/core/http'
import type { Item } from '#crud'
import type { AdminSite } from '../../admin_site.js'
import { pageAddress } from '../../http/page_address.js'
import { sentTexts } from '../../http/form_texts.js'
import type { ModelView } from '../../model_view.js'
import { may } from '../../permissions/may.js'
import type { FormMode } from '../fields/form_fields.js'
import { goTo } from '../go_to_list.js'
import { BESIDE, carriedIn, FOR, KEPT, withCarried } from '../kept/carried.js'
import { keepableTexts } from '../kept/keepable_texts.js'
import type { FormFailure } from '../submission/form_failure.js'
import { askedReference, chosen, NEW, readAsked } from './asked_reference.js'
import { guardOf } from '../../authentication/sessions/admin_guard.js'

/**
 * Answers the button *New ...* of a form: keeps what was typed, and goes to the form of the other record, which
 * comes back. [R5]
 *
 * @returns true if it answered; a failure to show in the form; false if the button was not pressed
 */
export async function goToNew(
  ctx: HttpContext,
  site: AdminSite,
  view: ModelView,
  mode: FormMode
): Promise<boolean | FormFailure> {
  const sent = sentTexts(ctx).get(NEW)?.at(-1)
  if (sent === undefined) return false
  const refused = { error: site.text('form.beside.refused'), fieldErrors: {} }
  const asked = readAsked(sent)
  const reference = asked && (await askedReference(ctx, site, asked))
  if (!reference || !(await may(ctx, reference.view, 'create'))) return refused

  const { owner } = guardOf(ctx).signedInOrFail()
  const address = withCarried(await pageAddress(site, ctx), FOR, carriedIn(ctx, FOR))
  const texts = keepableTexts(site, view, mode, sentTexts(ctx))
  const id = await site.keptForms.keep(owner.id, { address, texts, asked, reason: 'beside' })
  if (id === null) return { error: site.text('form.beside.tooLong'), fieldErrors: {} }
  goTo(ctx, withCarried(reference.view.url('/create_page'), FOR, id))
  return true
}

/**
 * Leads back to the form that a record was made for, with the record chosen. [R5]
 *
 * @returns false if it was made for none
 */
export async function goBackWithNew(
  ctx: HttpContext,
  site: AdminSite,
  view: ModelView,
  item: Item | undefined
): Promise<boolean> {
  const id = carriedIn(ctx, FOR)
  const { owner } = guardOf(ctx).signedInOrFail()
  const kept = id === null ? null : await site.keptForms.find(owner.id, id)
  if (!kept?.asked) return false
  const choice = chosen(await askedReference(ctx, site, kept.asked), view, item)
  if (choice) {
    const texts = { ...kept.texts, [kept.asked.input]: [choice.value] }
    await site.keptForms.replace(owner.id, id!, { ...kept, texts, made: choice.label })
  }
  goTo(ctx, withCarried(kept.address, KEPT, id))
  return true
}

/**
 * Address of the form that a record is made for, as it was left; null if it is made for none. [R5]
 */
export async function wayBack(ctx: HttpContext, site: AdminSite): Promise<string | null> {
  const id = carriedIn(ctx, FOR)
  const { owner } = guardOf(ctx).signedInOrFail()
  const kept = id === null ? null : await site.keptForms.find(owner.id, id)
  return kept && withCarried(kept.address, KEPT, id)
}

/**
 * Tells the dialog of the new record, for the reference that it was opened beside; without a value where that
 * can't refer to it. [R5]
 */
export async function answerDialog(
  ctx: HttpContext,
  site: AdminSite,
  view: ModelView,
  item: Item | undefined,
  message: string
): Promise<void> {
  const [model, field = ''] = carriedIn(ctx, BESIDE)!.split('.')
  const choice = chosen(await askedReference(ctx, site, { model, field }), view, item)
  ctx.response.json({ message, value: choice?.value ?? null, label: choice?.label ?? null })
}
