import type { HttpContext } from '@adonisjs/core/http'
import { withoutBigInts } from '#base/values/json'
import { fieldName, type FormField } from '../../forms/fields/form_field.js'
import { BulkFailure } from '../errors.js'
import { sentTexts } from '../../http/form_texts.js'
import { readSubmission, type Submission } from '../../forms/submission/submission.js'
import { shownValue } from '../bulk_ids.js'
import type { Site } from '../../views/site.js'
import { formFields } from '../../forms/fields/form_fields.js'
import type { ModelView } from '../../views/model_view.js'

/** Suffix of the name of the checkbox that marks a field as changed. */
export const CHANGE = '__change'

/** Changes in the payload of a job, as JSON. */
export interface StoredChanges extends Pick<Submission, 'errors' | 'shown' | 'values'> {
  cleared: string[]
}

/**
 * Reads the form: fields whose checkbox is checked are changed, and cleared if they are empty. Values of other fields
 * are only used to show the form again.
 *
 * @param fields  fields of the form, including those that are now read-only for the user
 * @throws BulkFailure 422  for the checkbox of an unknown field
 */
export async function changesInForm(
  fields: readonly FormField[],
  ctx: HttpContext
): Promise<Submission> {
  const chosen = chosenIn(fields, ctx)
  const sent = await readSubmission(fields, ctx, 'update')
  const values: Record<string, unknown> = {}
  const cleared = new Set<string>()
  const errors = sent.errors.filter(({ field }) => chosen.has(field))
  for (const { name, nullable, emptied } of fields.filter((field) => chosen.has(field.name))) {
    if (Object.hasOwn(sent.values, name)) values[name] = sent.values[name]
    else if (errors.some(({ field }) => field === name)) continue
    else if (nullable) {
      values[name] = emptied
      cleared.add(name)
    } else {
      errors.push({ field: name, rule: 'required', message: `The ${name} field must be defined` })
    }
  }
  return {
    ...sent,
    values,
    cleared,
    errors,
    files: new Map(),
    fileLists: new Map(),
    supplied: chosen.size > 0,
  }
}

/**
 * Returns the changes in a JSON body.
 *
 * @param values  `values` of the body, by API name
 * @throws BulkFailure 422  if `values` is not an object with at least one value
 */
export function changesInBody(values: unknown): Submission {
  if (typeof values !== 'object' || values === null || Array.isArray(values)) {
    throw new BulkFailure(422, 'bulk.edit.noValues')
  }
  if (Object.keys(values).length === 0) throw new BulkFailure(422, 'bulk.edit.noValues')
  return submissionOf({ values: values as Record<string, unknown> })
}

/** Returns the changes for the payload of a job. */
export function storedChanges(changes: Submission): StoredChanges {
  const { cleared, errors, shown, values } = changes
  const names = new Set(changedNames(changes))
  return {
    values: withoutBigInts(values) as Record<string, unknown>,
    cleared: [...cleared],
    shown: Object.fromEntries(Object.entries(shown).filter(([name]) => names.has(name))),
    errors,
  }
}

/** Returns the changes from the payload of a job. */
export function restoredChanges({ cleared, ...stored }: StoredChanges): Submission {
  return submissionOf({ ...stored, cleared: new Set(cleared) })
}

/** Returns the names of the fields to change. */
export function changedNames({ errors, values }: Submission): string[] {
  return [...new Set([...Object.keys(values), ...errors.map(({ field }) => field)])]
}

/** Returns the names of the fields whose checkbox is checked. */
export function chosenIn(fields: readonly FormField[], ctx: HttpContext): Set<string> {
  const known = new Set(fields.map(({ name }) => name))
  const chosen = new Set<string>()
  for (const [box, texts] of sentTexts(ctx)) {
    if (!box.endsWith(CHANGE) || !texts.includes('1')) continue
    const name = fieldName(box.slice(0, -CHANGE.length))
    /* The field can be unknown because the user's roles have changed since the form was shown. */
    if (!known.has(name)) {
      throw new BulkFailure(422, 'bulk.edit.unknown', { field: shownValue(name) })
    }
    chosen.add(name)
  }
  return chosen
}

function submissionOf(given: Partial<Submission>): Submission {
  return {
    values: {},
    supplied: true,
    shown: {},
    cleared: new Set(),
    files: new Map(),
    fileLists: new Map(),
    errors: [],
    rerenders: false,
    ...given,
  }
}

/**
 * Returns the fields of the update form that a bulk edit can change: all except files.
 *
 * @param view  view with the permissions of the user's roles
 */
export function editableFields(site: Site, view: ModelView): FormField[] {
  return formFields(site, view, 'update').filter((field) => !isFile(field))
}

/** Returns the file fields of the update form, which can only be changed on each record. */
export function fileFields(site: Site, view: ModelView): FormField[] {
  return formFields(site, view, 'update').filter(isFile)
}

function isFile({ valueType }: FormField): boolean {
  return valueType === 'file'
}
