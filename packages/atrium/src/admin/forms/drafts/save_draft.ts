import type { HttpContext } from '@adonisjs/core/http'
import type { ModelView } from '../../views/model_view.js'
import { type FormField, inputName } from '../fields/form_field.js'
import { formFields, type FormMode } from '../fields/form_fields.js'
import { Widget } from '../../views/widget.js'
import { sentTexts, textsOfAnonymous, giveTexts } from '../../http/form_texts.js'
import { pageAddress } from '../../http/page_address.js'
import { guardOf } from '../../identity/admin_guard.js'
import { seenInlines } from '../inlines/inline.js'
import { rowFields } from '../inlines/inline_rows.js'
import { draftParameter, FOR, DRAFT, withDraftParameter, type WithDrafts } from './drafts.js'
import { OWNER, ownerIn } from '../submission/sent_once.js'
import { isolated, partsOf } from '../../text/plain_text.js'
import type { Site } from '../../views/site.js'

/** The parts of the site that drafts need */
export type DraftSite = Site & WithDrafts

type DraftForm = { fields: readonly FormField[]; view: ModelView }

/* Inputs without a field that are stored in a draft: those of the form, then those of each inline row */
const OWN = ['_version', '_opened']
const OF_ROW = ['id', '__version', '__remove', '__begin']

/**
 * Returns the texts of a form that can be stored: those of fields, including fields in rows (`items.0.product_id`),
 * without passwords, hidden columns and files. Unknown names are left out.
 *
 * @param sent  all submitted texts, by input name
 */
export function keepableTexts(
  site: Site,
  view: ModelView,
  mode: FormMode,
  sent: ReadonlyMap<string, readonly string[]>
): Record<string, string[]> {
  const fields = formFields(site, view, mode)
  const texts = [...sent].filter(
    ([name]) =>
      OWN.includes(name) || isOf(fields, name) || isOfMany(view, name) || isOfRow(site, view, name)
  )
  return Object.fromEntries(texts.map(([name, values]) => [name, [...values]]))
}

/**
 * Returns true if a form or its rows have fields that a draft does not store, so that the user has to fill them in
 * again.
 */
async function hasUnsavableFields(
  ctx: HttpContext,
  site: Site,
  { fields, view }: DraftForm
): Promise<boolean> {
  const inlines = await seenInlines(ctx, site, view)
  const rows = inlines.map((inline) => rowFields(site, inline))
  const all = [...fields, ...rows.flatMap(({ create, update }) => [...create, ...update])]
  return all.some((field) => !isStored(field))
}

function isStored({ secret, valueType }: FormField): boolean {
  return !secret && valueType !== 'file'
}

/** Returns true for the input of a field, for the checkbox that clears the field, and for inputs of its widget. */
function isOf(fields: readonly FormField[], input: string): boolean {
  return fields.some((field) => {
    const own = inputName(field.name)
    return (
      isStored(field) &&
      (input === own ||
        input.startsWith(`${own}__`) ||
        (field.widget instanceof Widget && input.startsWith(`${own}.`)))
    )
  })
}

/** Returns true for the inputs of a many-to-many field, including those that its script adds. */
function isOfMany({ manyToMany }: ModelView, name: string): boolean {
  return manyToMany.some((many) => {
    const own = inputName(many.name)
    return name === own || name.startsWith(`${own}.__`)
  })
}

/** Returns true for an input of an inline row, whose name starts with the name of the relation. */
function isOfRow(site: Site, view: ModelView, name: string): boolean {
  const [, relationName, rest] = /^(\w+)\.\w+\.([\w:]+)$/.exec(name) ?? []
  if (relationName === undefined || !view.model.$hasRelation(relationName)) return false
  const relation = view.model.$getRelation(relationName)
  relation.boot()
  const model = relation.relatedModel()
  const other = [...site.models.values()].find((one) => one.model === model)
  if (!other) return false
  if (OF_ROW.includes(rest)) return true
  const fields = [...formFields(site, other, 'create'), ...formFields(site, other, 'update')]
  const isWithheld = fields.some((field) => inputName(field.name) === rest && !isStored(field))
  return !isWithheld && isOf(fields, rest)
}

/**
 * Stores the input of a form that was refused because the user has to reauthenticate. The form is shown again
 * afterwards, but not saved automatically. Passwords are not stored.
 *
 * @returns URL of the page that shows the draft; null if it was not stored
 */
export async function keepUnproved(
  site: DraftSite,
  ctx: HttpContext,
  view: ModelView,
  mode: FormMode
): Promise<string | null> {
  const { owner } = guardOf(ctx).signedInOrFail()
  try {
    const texts = keepableTexts(site, view, mode, sentTexts(ctx))
    const address = withDraftParameter(await pageAddress(site, ctx), FOR, draftParameter(ctx, FOR))
    const id = await site.drafts.keep(owner.id, { address, texts, reason: 'unproved' })
    return id === null ? null : withDraftParameter(address, DRAFT, id)
  } catch (error) {
    ctx.logger.error({ err: error }, 'What was typed into a form could not be stored')
    return null
  }
}

const FORMS: Record<string, FormMode> = { form_create: 'create', form_update: 'update' }

/**
 * Stores the input of a form that was submitted without a session, for the user who opened it. The form is shown again
 * after the login, but not saved automatically. Other forms, and those that the page's script submits, are not stored.
 *
 * @returns URL of the page that shows the draft; null if it was not stored
 */
export async function keepUnsent(site: DraftSite, ctx: HttpContext): Promise<string | null> {
  const { request } = ctx
  if (request.method() !== 'POST' || request.header('hx-request') !== undefined) return null
  const form = formAt(site, ctx)
  if (!form) return null
  try {
    return await keep(site, ctx, form)
  } catch (error) {
    ctx.logger.error({ err: error }, 'What was typed into a form could not be stored')
    return null
  }
}

/** Returns true if the page's script has submitted a form; the script stores the input in the browser if that fails. */
export function keepsInBrowser(site: Site, ctx: HttpContext): boolean {
  const { request } = ctx
  const isScripted = request.header('hx-request') !== undefined
  return isScripted && request.method() === 'POST' && formNamedIn(site, ctx) !== null
}

async function keep(
  site: DraftSite,
  ctx: HttpContext,
  { view, mode }: { view: ModelView; mode: FormMode }
): Promise<string | null> {
  const sent = await textsOfAnonymous(ctx)
  const owner = ownerIn(sent?.get(OWNER)?.at(-1))
  if (!sent || owner === null) return null
  if (!view.resource.isLoaded) await view.resource.load()
  const texts = keepableTexts(site, view, mode, sent)
  const address = withDraftParameter(await pageAddress(site, ctx), FOR, draftParameter(ctx, FOR))
  const id = await site.drafts.keep(owner, { address, texts, reason: 'unsent' })
  return id === null ? null : withDraftParameter(address, DRAFT, id)
}

function formAt(site: Site, ctx: HttpContext) {
  const form = formNamedIn(site, ctx)
  const view = form && site.models.get(form.name)
  return view ? { view, mode: form.mode } : null
}

/** Returns the name of the model and the mode for the path of a form, null for other paths. The model may not exist. */
function formNamedIn(site: Site, { request }: HttpContext) {
  const path = request.parsedUrl.pathname ?? '/'
  const [, name, form, ...key] = path.slice(site.mountPath.length).split('/')
  const mode = Object.hasOwn(FORMS, form ?? '') ? FORMS[form] : undefined
  if (!mode || (mode === 'update') !== key.length > 0) return null
  return { name, mode }
}

/**
 * Adds the texts of a draft to the request as if they were submitted, so that the page shows them again. Only for the
 * user who entered them, and only on the same page.
 *
 * @returns notes to show; null without a draft
 */
export async function restoreTexts(
  ctx: HttpContext,
  site: DraftSite,
  form: DraftForm
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
    ...((await hasUnsavableFields(ctx, site, form)) ? [site.text('form.restored.without')] : []),
  ]
}

/**
 * Returns the note that a record was created. `site.text` caches its results, so it is called with a placeholder, which
 * is then replaced by the title.
 */
function aboutMade(site: Site, title: string): string {
  const parts = partsOf(site.text('form.restored.made', { title: isolated('title') }))
  return parts.map(({ text, isolated: isTitle }) => (isTitle ? title : text)).join('')
}

/** Deletes the draft of a form that has been saved. */
export async function deleteDraft(ctx: HttpContext, site: WithDrafts): Promise<void> {
  const id = draftParameter(ctx, DRAFT)
  if (id === null) return
  const { owner } = guardOf(ctx).signedInOrFail()
  await site.drafts.drop(owner.id, id)
}

function pathOf(address: string): string {
  return address.split('?', 1)[0]
}
