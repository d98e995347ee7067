import type { HttpContext } from '@adonisjs/core/http'
import type { AdminSite } from '../../admin_site.js'
import { sentTexts, textsOfStranger } from '../../http/form_texts.js'
import { pageAddress } from '../../http/page_address.js'
import type { ModelView } from '../../model_view.js'
import type { FormMode } from '../fields/form_fields.js'
import { guardOf } from '../../authentication/sessions/admin_guard.js'
import { carriedIn, FOR, KEPT, withCarried } from './draft_parameters.js'
import { keepableTexts, OWNER, ownerIn } from './draft_texts.js'

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

const FORMS: Record<string, FormMode> = { form_create: 'create', form_update: 'update' }

/**
 * Keeps a form that came without a session, for the person whom it was given to: it is shown again after the
 * login, and nothing of it is done. Forms of records alone, without a script. [R10]
 *
 * @returns address of the page that shows it; null if it is not kept
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
  const sent = await textsOfStranger(ctx)
  const owner = ownerIn(sent?.get(OWNER)?.at(-1))
  if (!sent || owner === null) return null
  if (!view.resource.isLoaded) await view.resource.load()
  const texts = keepableTexts(site, view, mode, sent)
  const address = withCarried(await pageAddress(site, ctx), FOR, carriedIn(ctx, FOR))
  const id = await site.keptForms.keep(owner, { address, texts, reason: 'unsent' })
  return id === null ? null : withCarried(address, KEPT, id)
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
