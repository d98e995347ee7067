import type { HttpContext } from '@adonisjs/core/http'
import type { AdminSite } from '../../admin_site.js'
import { sentTexts } from '../../http/form_texts.js'
import type { FormField } from '../fields/form_field.js'
import type { Submission } from '../submission/submission.js'

/**
 * Name of the choice between two values of a field on the conflict page: `_take.title` with `mine` or `theirs`. [R15]
 */
export function choiceOf(name: string): string {
  return `_take.${name}`
}

/**
 * Names of the fields for which the record's value was chosen over what was typed.
 */
export function givenToThem(ctx: HttpContext, fields: readonly FormField[]): Set<string> {
  const sent = sentTexts(ctx)
  const given = fields.filter(({ name }) => sent.get(choiceOf(name))?.[0] === 'theirs')
  return new Set(given.map(({ name }) => name))
}

/**
 * The submission with an error for each own file that was chosen and did not come with the form, as no page can send
 * a file back.
 */
export function withMissingFiles(
  ctx: HttpContext,
  site: AdminSite,
  fields: readonly FormField[],
  submission: Submission
): Submission {
  const sent = sentTexts(ctx)
  const missing = fields.filter(
    ({ name, valueType }) =>
      valueType === 'file' &&
      sent.get(choiceOf(name))?.[0] === 'mine' &&
      !submission.files.has(name) &&
      !submission.cleared.has(name)
  )
  const message = site.text('conflict.fileAgain')
  const faults = missing.map(({ name }) => ({ field: name, rule: 'file', message }))
  return { ...submission, faults: [...submission.faults, ...faults] }
}
