import type { HttpContext } from '@adonisjs/core/http'
import type { AdminSite } from '../../admin_site.js'
import type { ModelView } from '../../model_view.js'
import { may } from '../../permissions/may.js'
import { followed } from '../../relations/references.js'
import { inSentence } from '../../text/in_sentence.js'
import type { FieldView } from '../fields/field_view.js'
import type { FormField } from '../fields/form_field.js'
import { BESIDE, isBeside, withCarried } from '../kept/carried.js'
import { NEW, writeAsked } from './asked_reference.js'

/**
 * The button *New ...* next to a reference.
 */
export interface NewOffer {
  name: string
  value: string
  label: string
  /** URL of the form for the dialog */
  url: string
}

/**
 * Adds the button to the references whose records the user may make. Works by the names of the inputs, so rows of
 * a form can have it, too. [R5]
 *
 * @param view    of the model that has the fields
 * @param fields  of which `views` are made
 */
export async function offerNew(
  ctx: HttpContext,
  site: AdminSite,
  view: ModelView,
  fields: readonly FormField[],
  views: ReadonlyArray<FieldView & { newOffer?: NewOffer }>
): Promise<void> {
  /* The form of a dialog offers no other dialog. */
  if (isBeside(ctx)) return
  await Promise.all(
    views.map(async (shown, index) => {
      shown.newOffer = await offerOf(ctx, site, view, fields[index], shown.name)
    })
  )
}

async function offerOf(
  ctx: HttpContext,
  site: AdminSite,
  view: ModelView,
  { reference, widget }: FormField,
  input: string
): Promise<NewOffer | undefined> {
  if (!reference || widget !== 'select') return undefined
  const seen = await followed(ctx, reference)
  if (!seen || !(await may(ctx, seen.view, 'create'))) return undefined
  const asked = { input, model: view.name, field: reference.column.apiName }
  return {
    name: NEW,
    value: writeAsked(asked),
    label: site.text('form.beside.new', { one: inSentence(seen.view.singular) }),
    url: withCarried(seen.view.url('/create_page'), BESIDE, `${asked.model}.${asked.field}`),
  }
}
