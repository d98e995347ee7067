import type { HttpContext } from '@adonisjs/core/http'
import { guardOf } from '../../authentication/sessions/admin_guard.js'
import type { ModelView } from '../../model_view.js'
import type { FormField } from '../fields/form_field.js'
import { plainTexts } from '../fields/plain_texts.js'

/**
 * Texts of a blank form by the options `fields.NAME.default`, for the signed-in user.
 *
 * @param fields  those of the form as the user may fill it in
 */
export async function defaultTexts(
  ctx: HttpContext,
  view: ModelView,
  fields: readonly FormField[]
): Promise<Record<string, string[]>> {
  const { owner } = guardOf(ctx).signedInOrFail()
  const texts: Record<string, string[]> = {}
  for (const { name } of fields) {
    const value = await view.fieldOptions(name).default?.(owner.user)
    if (value !== null && value !== undefined) texts[name] = plainTexts(value)
  }
  return texts
}
