import type { LucidRow } from '@adonisjs/lucid/types/model'
import type { HttpContext } from '@adonisjs/core/http'
import { Problem } from '#crud'
import { RowChanged } from '../errors.js'
import type { ModelView } from '../../views/model_view.js'
import { findRecord, type FoundRecord, type SentVersion } from '../form_record.js'
import type { FormPage } from '../form_page.js'
import { dropFile } from '../files/file_store.js'
import type { EarlierFiles } from '../files/uploads.js'
import type { RestoredFields } from '../prefill/restored_fields.js'
import { storeUpdate, type StoredUpdate } from '../store_update.js'
import type { SentOnce } from '../submission/sent_once.js'
import type { Submission } from '../submission/submission.js'
import { mergeSubmission, type Merge } from './merge_submission.js'
import { readOpened, type OpenedRecord } from './opened_record.js'

/**
 * `precondition` of an update, which checks the locked record. A submission without a version is
 * accepted. [B25]
 *
 * @param values  values to write, by attribute name
 * @throws RowChanged
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

/* After as many changes in the meantime the person decides. */
const MOST_ATTEMPTS = 5

/**
 * A record that another person has changed too, so that one has to choose.
 */
export interface Conflict {
  merge: Merge
  opened: OpenedRecord | null
  /** Values that were to be written, by attribute name */
  values: Record<string, unknown>
}

/**
 * State of a form while it is saved; another person's changes replace it.
 */
export interface FormAttempt extends FoundRecord {
  form: FormPage
  submission: Submission
  /** As the form sent it; undefined for the record's */
  sent: SentVersion | undefined
  /** API names of the fields that keep the changes of others */
  theirs: readonly string[]
  opened: OpenedRecord | null
  /** The version of the record that the form was filled in with [R8] */
  restored: RestoredFields | null
  /** Null for a form without a token */
  once: SentOnce | null
}

/**
 * Saves a form, merged with what others have changed since it was opened. [B25, R15]
 *
 * @param attempt  left as it was last tried
 * @param given    names of the fields for which the person has chosen the record's value
 * @throws Problem  404 if the record is gone, and as `storeUpdate` does
 */
export async function saveMerged(
  ctx: HttpContext,
  page: FormPage,
  attempt: FormAttempt,
  given: ReadonlySet<string>
): Promise<StoredUpdate | Conflict> {
  const files: EarlierFiles = new Map()
  let isStored = false
  try {
    const outcome = await saveOrMerge(ctx, page, attempt, given, files)
    isStored = !isConflict(outcome)
    return outcome
  } finally {
    for (const key of isStored ? [] : files.values()) await dropFile(page.view, key)
  }
}

async function saveOrMerge(
  ctx: HttpContext,
  page: FormPage,
  attempt: FormAttempt,
  given: ReadonlySet<string>,
  files: EarlierFiles
): Promise<StoredUpdate | Conflict> {
  const { view } = page
  const { submission, sent, record } = attempt
  const opened = sent ? readOpened(ctx, { view, record }, sent) : null
  let expected = sent?.version
  attempt.opened = opened
  for (let tries = 1; ; tries++) {
    const { form } = attempt
    const precondition = (locked: LucidRow, values: Record<string, unknown>) =>
      assertVersion(view, locked, expected, values)
    try {
      return await storeUpdate(ctx, form, attempt, attempt.submission, precondition, files)
    } catch (error) {
      if (!(error instanceof RowChanged)) throw error
      const merge = await mergeAttempt(ctx, page, attempt, submission, given)
      const mustAsk = merge.asked.size > 0 || tries === MOST_ATTEMPTS
      if (mustAsk) return { merge, opened, values: error.values }
      expected = view.resource.columns.versionOf(attempt.record)
    }
  }
}

/** Puts the record as it is now in the place of the attempt's. */
async function mergeAttempt(
  ctx: HttpContext,
  page: FormPage,
  attempt: FormAttempt,
  submission: Submission,
  given: ReadonlySet<string>
): Promise<Merge> {
  const found = await findRecord(ctx, page.view)
  if (!found) throw new Problem(404, 'The record is gone')
  const form = await page.of(ctx, found.record)
  const merge = await mergeSubmission(form, found.record, attempt.opened, submission, given)
  const { submission: merged, theirs } = merge
  Object.assign(attempt, { ...found, form, submission: merged, sent: undefined, theirs })
  return merge
}

export function isConflict(outcome: StoredUpdate | Conflict): outcome is Conflict {
  return 'merge' in outcome
}
