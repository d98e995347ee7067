import type { HttpContext } from '@adonisjs/core/http'
import { keyOf } from '#base/items'
import type { Item } from '#crud'
import type { Site } from '../views/site.js'
import { cutText } from '../list/cell.js'
import type { ModelView } from '../views/model_view.js'
import { personal, may } from '../permissions/may.js'
import { followed, referencesOf, type Reference } from '../relations/references.js'
import { pageAddress } from '../http/page_address.js'
import { sentTexts } from '../http/form_texts.js'
import { guardOf } from '../identity/admin_guard.js'
import { inSentence } from '../text/plain_text.js'
import {
  type RequestedReference,
  type WithDrafts,
  IN_DIALOG,
  draftParameter,
  FOR,
  DRAFT,
  withDraftParameter,
  isInDialog,
} from './drafts/drafts.js'
import type { FormMode } from './fields/form_fields.js'
import { redirectPage } from '../http/redirect.js'
import { keepableTexts, type DraftSite } from './drafts/save_draft.js'
import type { FormFailure } from './submission/form_failure.js'
import type { FieldView } from './fields/shown_field.js'
import type { FormField } from './fields/form_field.js'
import { NEW } from './form_record.js'

/** Serializes an input of a form and its reference: `items.0.product_id@OrderItem.product_id`. */
function writeRequested({ input, model, field }: RequestedReference): string {
  return `${input}@${model}.${field}`
}

/**
 * Parses the text of `writeRequested`.
 *
 * @returns null if the text is invalid
 */
function readRequested(text: string): RequestedReference | null {
  const [, input, model, field] = /^([\w.]{1,200})@(\w{1,200})\.(\w{1,200})$/.exec(text) ?? []
  return field === undefined ? null : { input, model, field }
}

/**
 * Finds a reference by model and field name; null if it does not exist or the signed-in user is not allowed to use
 * it.
 */
async function requestedReference(
  ctx: HttpContext,
  site: Site,
  { model, field }: Pick<RequestedReference, 'model' | 'field'>
): Promise<Reference | null> {
  const named = site.models.get(model)
  const view = named?.admits(ctx) ? await personal(ctx, named) : null
  if (!view || !(view.may('create') || view.may('update'))) return null
  if (!view.resource.isLoaded) await view.resource.load()
  const reference = referencesOf(site, view).find(({ column }) => column.apiName === field)
  return reference ? await followed(ctx, reference) : null
}

/**
 * Returns the new record as a choice of the reference.
 *
 * @returns null if the record belongs to another model or the user can't see it
 */
function chosen(
  reference: Reference | null,
  view: ModelView,
  item: Item | undefined
): { value: string; label: string } | null {
  if (!reference || reference.view.base !== view.base || !item) return null
  const index = reference.view.resource.key.columns.indexOf(reference.target)
  const value = keyOf(item)?.[index] ?? item[reference.target.apiName]
  if (value === undefined || value === null) return null
  return { value: String(value), label: cutText(view.titleOf(item)) }
}

/**
 * Handles the button `NEW` of a form: stores the form as a draft and redirects to the create form of the
 * referenced model, which redirects back afterwards.
 *
 * @returns a failure to show in the form; null if a response was sent
 */
export async function goToNew(
  ctx: HttpContext,
  site: DraftSite,
  view: ModelView,
  mode: FormMode
): Promise<FormFailure | null> {
  const sent = sentTexts(ctx).get(NEW)?.at(-1) ?? ''
  const refused = { error: site.text('form.dialog.refused'), fieldErrors: {} }
  const requested = readRequested(sent)
  const reference = requested && (await requestedReference(ctx, site, requested))
  if (!reference || !(await may(ctx, reference.view, 'create'))) return refused

  const { owner } = guardOf(ctx).signedInOrFail()
  const address = withDraftParameter(await pageAddress(site, ctx), FOR, draftParameter(ctx, FOR))
  const texts = keepableTexts(site, view, mode, sentTexts(ctx))
  const id = await site.drafts.keep(owner.id, {
    address,
    texts,
    asked: requested,
    reason: 'beside',
  })
  if (id === null) return { error: site.text('form.dialog.tooLong'), fieldErrors: {} }
  redirectPage(ctx, withDraftParameter(reference.view.url('/create_page'), FOR, id))
  return null
}

/**
 * Redirects back to the form from which a record was created, with the record selected.
 *
 * @returns false if the record was not created from another form
 */
export async function goBackWithNew(
  ctx: HttpContext,
  site: DraftSite,
  view: ModelView,
  item: Item | undefined
): Promise<boolean> {
  const id = draftParameter(ctx, FOR)
  const { owner } = guardOf(ctx).signedInOrFail()
  const stored = id === null ? null : await site.drafts.find(owner.id, id)
  if (!stored?.asked) return false
  const choice = chosen(await requestedReference(ctx, site, stored.asked), view, item)
  if (choice) {
    const texts = { ...stored.texts, [stored.asked.input]: [choice.value] }
    await site.drafts.replace(owner.id, id!, { ...stored, texts, made: choice.label })
  }
  redirectPage(ctx, withDraftParameter(stored.address, DRAFT, id))
  return true
}

/** Returns the URL of the stored form from which a record is being created; null if there is none. */
export async function wayBack(ctx: HttpContext, site: WithDrafts): Promise<string | null> {
  const id = draftParameter(ctx, FOR)
  const { owner } = guardOf(ctx).signedInOrFail()
  const stored = id === null ? null : await site.drafts.find(owner.id, id)
  return stored && withDraftParameter(stored.address, DRAFT, id)
}

/**
 * Responds with the new record to the dialog that it was created in. The value is left out if the reference can't
 * refer to the record.
 */
export async function respondInDialog(
  ctx: HttpContext,
  site: Site,
  view: ModelView,
  item: Item | undefined,
  message: string
): Promise<void> {
  const [model, field = ''] = draftParameter(ctx, IN_DIALOG)!.split('.')
  const choice = chosen(await requestedReference(ctx, site, { model, field }), view, item)
  ctx.response.json({ message, value: choice?.value ?? null, label: choice?.label ?? null })
}

/** The button *New ...* next to a reference. */
interface NewOffer {
  name: string
  value: string
  label: string
  /** URL of the form in the dialog */
  url: string
}

/**
 * Adds the button to references for whose model the user is allowed to create records. The button contains the name of
 * the input, so that it also works in inline rows.
 *
 * @param view    view of the model that has the fields
 * @param fields  fields of `views`, in the same order
 */
export async function offerNew(
  ctx: HttpContext,
  site: Site,
  view: ModelView,
  fields: readonly FormField[],
  views: ReadonlyArray<FieldView & { newOffer?: NewOffer }>
): Promise<void> {
  /* A form in a dialog cannot open another dialog. */
  if (isInDialog(ctx)) return
  await Promise.all(
    views.map(async (shown, index) => {
      shown.newOffer = await offerOf(ctx, site, view, fields[index], shown.name)
    })
  )
}

async function offerOf(
  ctx: HttpContext,
  site: Site,
  view: ModelView,
  { reference, widget }: FormField,
  input: string
): Promise<NewOffer | undefined> {
  if (!reference || widget !== 'select') return undefined
  const seen = await followed(ctx, reference)
  if (!seen || !(await may(ctx, seen.view, 'create'))) return undefined
  const requested = { input, model: view.name, field: reference.column.apiName }
  return {
    name: NEW,
    value: writeRequested(requested),
    label: site.text('form.dialog.new', { one: inSentence(seen.view.singular) }),
    url: withDraftParameter(
      seen.view.url('/create_page'),
      IN_DIALOG,
      `${requested.model}.${requested.field}`
    ),
  }
}
