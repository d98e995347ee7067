import type { LucidRow } from '@adonisjs/lucid/types/model'
import type { HttpContext } from '@adonisjs/core/http'
import { Problem } from '#crud'
import { RowChanged } from '../errors.js'
import type { ModelView } from '../../views/model_view.js'
import { findRecord, type FoundRecord, type SentVersion } from '../form_record.js'
import type { FormPage } from '../form_page.js'
import { dropFiles } from '../files/file_store.js'
import type { EarlierFiles } from '../files/uploads.js'
import type { RestoredFields } from '../prefill/restored_fields.js'
import { saveForm, type SavedForm } from '../save_form.js'
import type { SentOnce } from '../submission/sent_once.js'
import type { Submission } from '../submission/submission.js'
import { mergeSubmission, type Merge } from './merge_submission.js'
import { readOpened, type OpenedRecord } from './opened_record.js'

/**
 * Checks the version of the locked record before an update. A submission without a version is accepted.
 *
 * @param values  values to write, by attribute name
 * @throws RowChanged  if the record has another version
 */
function assertVersion(
  view: ModelView,
  record: LucidRow,
  submitted: string | undefined,
  values: Record<string, unknown>
): void {
  if (submitted !== undefined && submitted !== view.resource.columns.versionOf(record)) {
    throw new RowChanged(values)
  }
}

/* Maximum number of automatic merges; after more concurrent changes the user has to decide. */
const MOST_ATTEMPTS = 5

/** Result instead of a saved form: another user has changed the record as well, and the user has to choose. */
export interface Conflict {
  merge: Merge
  opened: OpenedRecord | null
  /** Values to write, by attribute name */
  values: Record<string, unknown>
}

/** State of a form while it is being saved; updated with the changes of other users. */
export interface FormAttempt extends FoundRecord {
  form: FormPage
  submission: Submission
  /** Version as submitted; undefined to use the version of the record */
  sent: SentVersion | undefined
  /** API names of the fields that contain changes of other users */
  theirs: readonly string[]
  /** The record when the form was opened, read when the record has changed since then; null if unknown */
  opened: OpenedRecord | null
  /** Names of the fields for which the user has chosen the record's value */
  given: ReadonlySet<string>
  /** Earlier version of the record that the form was filled in with */
  restored: RestoredFields | null
  /** Saves repeated submissions only once; null for a form without a token, or without rows */
  once: SentOnce | null
}

/**
 * Saves a form, merged with changes of other users since it was opened.
 *
 * @param attempt  state of the form; updated to the last attempt
 * @returns the saved form, or the conflict if the user has to choose
 * @throws Problem  404 if the record no longer exists, and the errors of `saveForm`
 */
export async function saveMerged(
  ctx: HttpContext,
  page: FormPage,
  attempt: FormAttempt
): Promise<SavedForm | Conflict> {
  const files: EarlierFiles = new Map()
  let isStored = false
  try {
    const outcome = await saveOrMerge(ctx, page, attempt, files)
    isStored = !isConflict(outcome)
    return outcome
  } finally {
    if (!isStored) await dropFiles(page.view, [...files.values()])
  }
}

async function saveOrMerge(
  ctx: HttpContext,
  page: FormPage,
  attempt: FormAttempt,
  files: EarlierFiles
): Promise<SavedForm | Conflict> {
  const { view } = page
  const { submission, sent, record } = attempt
  let expected = sent?.version
  for (let tries = 1; ; tries++) {
    const { form } = attempt
    const precondition = (locked: LucidRow, values: Record<string, unknown>) =>
      assertVersion(view, locked, expected, values)
    try {
      const { restored, once } = attempt
      const state = { found: attempt, restored, once, stored: files }
      return await saveForm(ctx, form, attempt.submission, state, precondition)
    } catch (error) {
      if (!(error instanceof RowChanged)) throw error
      if (sent) attempt.opened ??= readOpened(ctx, { view, record }, sent)
      const merge = await mergeAttempt(ctx, page, attempt, submission)
      const mustAsk = merge.asked.size > 0 || tries === MOST_ATTEMPTS
      if (mustAsk) return { merge, opened: attempt.opened, values: error.values }
      expected = view.resource.columns.versionOf(attempt.record)
    }
  }
}

/** Merges the submission with the current record, and updates the attempt to the result. */
async function mergeAttempt(
  ctx: HttpContext,
  page: FormPage,
  attempt: FormAttempt,
  submission: Submission
): Promise<Merge> {
  const found = await findRecord(ctx, page.view)
  if (!found) throw new Problem(404, 'The record is gone')
  const form = await page.of(ctx, found.record)
  const merge = await mergeSubmission(form, found.record, attempt.opened, submission, attempt.given)
  const { submission: merged, theirs } = merge
  Object.assign(attempt, { ...found, form, submission: merged, sent: undefined, theirs })
  return merge
}

export function isConflict(outcome: SavedForm | Conflict): outcome is Conflict {
  return 'merge' in outcome
}
