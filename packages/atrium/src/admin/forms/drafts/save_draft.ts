import encryption from '@adonisjs/core/services/encryption'
import type { HttpContext } from '@adonisjs/core/http'
import type { AdminSite } from '../../admin_site.js'
import type { ModelView } from '../../views/model_view.js'
import { type FormField, inputName } from '../fields/form_field.js'
import { formFields, type FormMode } from '../fields/form_fields.js'
import { Widget } from '../../views/widget.js'
import { sentTexts, textsOfAnonymous } from '../../http/form_texts.js'
import { pageAddress } from '../../http/page_address.js'
import { guardOf } from '../../identity/admin_guard.js'
import { draftParameter, FOR, DRAFT, withDraftParameter } from './draft_parameters.js'
import { rowId } from '../../http/row_id.js'

/* Of the form itself: the version of its record, and what rows of it have in addition to their fields */
const OWN = ['_version', '_opened']
const OF_ROW = ['id', '__version', '__remove']

/**
 * Texts of a form that can be stored: those of its fields, also of fields in rows (`items.0.product_id`), without
 * passwords, hidden columns and files. Unknown names are left out.
 *
 * @param sent  all that the form sent, by name
 */
export function keepableTexts(
  site: AdminSite,
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
 * True if a form has fields whose values are not stored, so that they have to be filled in again.
 */
export function hasUnsavableFields(fields: readonly FormField[]): boolean {
  return fields.some((field) => !isStored(field))
}

function isStored({ secret, valueType }: FormField): boolean {
  return !secret && valueType !== 'file'
}

/** The input of a field, its box that empties it, or an input of its widget. */
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

/** The keys of a many-to-many field, and what its script adds. */
function isOfMany({ manyToMany }: ModelView, name: string): boolean {
  return manyToMany.some((many) => {
    const own = inputName(many.name)
    return name === own || name.startsWith(`${own}.__`)
  })
}

/** A row belongs to the relation that its name begins with. */
function isOfRow(site: AdminSite, view: ModelView, name: string): boolean {
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

/** Form field that says who was given the form */
export const OWNER = '_by'

const PURPOSE = 'form owner'

/**
 * Sealed id of the person a form is given to: what they send after their session has ended is stored for
 * no one else. It is not a login. [R10]
 */
export function sealOwner(userId: number): string {
  return encryption.encrypt(String(userId), { purpose: PURPOSE, expiresIn: '7d' })
}

/**
 * @returns null for a text that the site has not sealed, or that is too old
 */
export function ownerIn(sealed: string | undefined): number | null {
  if (sealed === undefined || sealed.length > 500) return null
  return rowId(encryption.decrypt<string>(sealed, PURPOSE))
}

/**
 * Keeps a form that was refused until its user proves again who they are: it is shown again afterwards, and nothing
 * of it is done. Passwords are not stored. [U11, R10]
 *
 * @returns address of the page that shows it; null if it is not stored
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
 * Stores a form that came without a session, for the person it was given to: it is shown again after the
 * login, and nothing of it is done. Forms of records alone, without a script. [R10]
 *
 * @returns address of the page that shows it; null if it is not stored
 */
export async function keepUnsent(site: AdminSite, ctx: HttpContext): Promise<string | null> {
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

/** True for a form that the script of the page keeps in the browser when it can't be sent. [R10] */
export function keepsInBrowser(site: AdminSite, ctx: HttpContext): boolean {
  const { request } = ctx
  const isScripted = request.header('hx-request') !== undefined
  return isScripted && request.method() === 'POST' && formNamedIn(site, ctx) !== null
}

async function keep(
  site: AdminSite,
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

function formAt(site: AdminSite, ctx: HttpContext) {
  const form = formNamedIn(site, ctx)
  const view = form && site.models.get(form.name)
  return view ? { view, mode: form.mode } : null
}

/** The form that a path names, of a model that may not exist. */
function formNamedIn(site: AdminSite, { request }: HttpContext) {
  const path = request.parsedUrl.pathname ?? '/'
  const [, name, form, ...key] = path.slice(site.mountPath.length).split('/')
  const mode = Object.hasOwn(FORMS, form ?? '') ? FORMS[form] : undefined
  if (!mode || (mode === 'update') !== key.length > 0) return null
  return { name, mode }
}
