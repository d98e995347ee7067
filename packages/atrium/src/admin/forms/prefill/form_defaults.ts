import type { HttpContext } from '@adonisjs/core/http'
import { toApi } from '#base/values/to_api'
import { guardOf } from '../../identity/admin_guard.js'
import type { ModelView } from '../../views/model_view.js'
import { choicesAmong, isKeyOf } from '../fields/choices.js'
import { textsOf, valueOf } from '../fields/field_texts.js'
import type { FormField } from '../fields/form_field.js'

export type FieldTexts = Record<string, string[]>

/**
 * Returns the initial texts of a blank form from the options `fields.NAME.default`, for the signed-in user. Values that
 * the user could not choose are left out: those that are not in the list of choices, and records that the user cannot
 * see.
 *
 * @param fields  fields of the form that the user can write
 */
export async function defaultTexts(
  ctx: HttpContext,
  view: ModelView,
  fields: readonly FormField[]
): Promise<FieldTexts> {
  const { owner } = guardOf(ctx).signedInOrFail()
  const texts: FieldTexts = {}
  for (const field of fields) {
    if (field.valueType === 'file') continue
    const value = await view.fieldOptions(field.name).default?.(owner.user)
    if (value === null || value === undefined) continue
    const shown = textsOf(field, field.column ? toApi(field.column, value) : value)
    if (await canChoose(ctx, field, shown)) texts[field.name] = shown
  }
  return texts
}

async function canChoose(
  ctx: HttpContext,
  { choices, reference }: FormField,
  texts: readonly string[]
): Promise<boolean> {
  if (choices) return texts.every((text) => choices.some((one) => String(one) === text))
  if (!reference) return true
  const keys = texts.filter((text) => isKeyOf(reference.target, text))
  const chosen = await choicesAmong(ctx, reference, keys)
  return chosen.length === texts.length
}

/** Returns the values of texts that `defaultTexts` has returned, by API name. */
export function valuesOfTexts(
  fields: readonly FormField[],
  texts: FieldTexts
): Record<string, unknown> {
  const filled = fields.filter(({ name }) => Object.hasOwn(texts, name))
  return Object.fromEntries(filled.map((field) => [field.name, valueOf(field, texts[field.name])]))
}
