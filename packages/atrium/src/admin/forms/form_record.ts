import type { HttpContext } from '@adonisjs/core/http'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import { Problem } from '#crud'
import type { KeyValue } from '#base/columns/key'
import type { Site } from '../views/site.js'
import { PageNotFound } from '../http/errors.js'
import type { ModelView } from '../views/model_view.js'
import { cellsOf, type ShownCell } from '../list/cell.js'
import { titlesOf } from '../relations/references.js'
import { visibleText } from '../text/plain_text.js'
import { prettyJson } from '../text/json_text.js'
import type { RestoredFields } from './prefill/restored_fields.js'
import type { SentRows } from './inlines/rows.js'
import type { FormFailure } from './submission/form_failure.js'
import type { Submission } from './submission/submission.js'
import type { FormField } from './fields/form_field.js'
import { Widget } from '../views/widget.js'

export interface FoundRecord {
  key: KeyValue
  record: LucidRow
}

/**
 * Returns the record of the request's path if the user can see it.
 *
 * @returns null if there is none; an id that is invalid for the key's type is treated as missing
 */
export async function findRecord(ctx: HttpContext, view: ModelView): Promise<FoundRecord | null> {
  let key: KeyValue
  try {
    key = view.resource.key.fromParams(ctx.params)
  } catch (error) {
    if (error instanceof Problem) return null
    throw error
  }
  const record = await view.crud.find(key, view.callOptions(ctx))
  return record && { key, record }
}

/**
 * Responds with 404 and a message.
 *
 * @throws PageNotFound  if a browser requests a whole page
 */
export function recordNotFound(
  { params, request, response }: HttpContext,
  site: Site,
  view: ModelView
): { message: string } {
  const id = view.resource.key.params.map((name) => params[name]).join(', ')
  const message = site.text('form.notFound', { id })
  const isPage = request.header('hx-request') === undefined
  if (isPage && request.header('accept')?.includes('text/html')) {
    throw Object.assign(new PageNotFound(), { list: { label: view.label, url: view.url('/') } })
  }
  response.status(404)
  return { message }
}

/** Name of the hidden input with the version of the record that an update form shows. */
export const versionField = '_version'

/** Name of the button *Save and next*. */
export const nextField = '_next'

/** Name of the button *New ...* next to a reference; `new_reference.ts` makes its value. */
export const NEW = '__new'

/** Beginning of the names of a conflict page's radio buttons: `_take.title`, with the values `mine` and `theirs` */
export const TAKE = '_take.'

/** The version of the record that a form was opened with, and the encrypted record, both as submitted. */
export interface SentVersion {
  version: string
  sealed: string | undefined
}

/** State of a form page, in addition to the fields. */
export interface FormState {
  /** Record to update */
  record?: LucidRow
  /** Initial texts of a blank form, by field name */
  given?: Record<string, string[]>
  /** Initial inline rows of a blank form, by relation */
  givenRows?: ReadonlyMap<string, SentRows>
  /** Values of an earlier version of the record */
  restored?: RestoredFields | null
  /** Submitted values */
  submission?: Submission
  failure?: FormFailure
  /** Notes above the fields: about restored texts, and rows that are not copied */
  storedNotes?: readonly string[]
  /** Version that the form is based on, as submitted. Default: the version of the record */
  sent?: SentVersion
  /** State for the view's panels */
  panelState?: unknown
}

/** The properties of a field that determine how its values are formatted. */
type ShownField = Pick<
  FormField,
  'column' | 'reference' | 'widget' | 'choices' | 'grouped' | 'labelOf'
>

/** Formats values of a field as in the list, except that texts are not shortened. */
export async function shownValues(
  ctx: HttpContext,
  site: Site,
  { column, reference, widget, choices, grouped, labelOf }: ShownField,
  values: readonly unknown[]
): Promise<ShownCell[]> {
  const titles = reference ? await titlesOf(ctx, reference, values) : undefined
  const shown = cellsOf(column!, values, {
    isGrouped: grouped,
    isChoice: !reference && choices !== undefined && column!.isText,
    text: (key, data) => site.text(key, data),
  })
  return values.map((value, index) => {
    if (value === null) return shown[index]
    const words = widget instanceof Widget ? widget.words?.(value) : undefined
    if (words !== undefined) return { kind: 'text', text: words }
    const title = titles?.get(String(value)) ?? labelOf?.(String(value))
    if (title !== undefined) return { kind: 'text', text: title }
    if (typeof value === 'string' && shown[index].kind === 'text')
      return { kind: 'text', text: visibleText(value) }
    if (typeof value === 'object') return { kind: 'text', text: visibleText(prettyJson(value)) }
    return shown[index]
  })
}
