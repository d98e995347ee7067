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
import { readOpened, type OpenedRecord, sentPrint, printsOf } from './opened_record.js'
import { valueOf } from '../fields/field_texts.js'
import type { FormField } from '../fields/form_field.js'
import { storedTexts } from '../submission/unchanged_fields.js'

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

/**
 * Result of comparing a field: the values are the same, only this user or only another user changed it, or both did
 * and the user has to choose.
 */
type Outcome = 'same' | 'mine' | 'theirs' | 'asked'

/** Digests of one field's values. */
export interface Versions {
  /** When the form was opened; undefined if unknown */
  opened: string | undefined
  /** As submitted; undefined if the field was not submitted */
  mine: string | undefined
  /** In the current record */
  now: string
}

/** Compares three versions of a field. */
function outcomeOf({ opened, mine, now }: Versions): Outcome {
  if (mine === now) return 'same'
  if (opened === undefined) return mine === undefined ? 'same' : 'asked'
  if (mine === undefined || mine === opened) return opened === now ? 'same' : 'theirs'
  return now === opened ? 'mine' : 'asked'
}

/** A submission merged with another user's changes to the record. */
export interface Merge {
  /** The submission, with the values of the other user for fields that only the other user changed */
  submission: Submission
  /** Results by API name, of the visible fields of the form */
  outcomes: ReadonlyMap<string, Outcome>
  /** API names of all fields that only the other user changed, including columns that are not in the form */
  theirs: readonly string[]
  /** API names of the fields for which the user has to choose */
  asked: ReadonlySet<string>
}

/**
 * Merges a submission with the current record.
 *
 * @param form    form of the current record
 * @param opened  the record when the form was opened; null if unknown, in which case the user has to choose for every
 *   difference
 * @param given   names of the fields for which the user has chosen the record's value
 */
async function mergeSubmission(
  form: FormPage,
  record: LucidRow,
  opened: OpenedRecord | null,
  sent: Submission,
  given: ReadonlySet<string>
): Promise<Merge> {
  const { view, fields } = form
  const own = await form.own(record)
  const texts = { ...storedTexts(fields, record), ...own }
  const now = printsOf({ view, fields, record, own })
  const outcomes = new Map<string, Outcome>()
  for (const field of fields.filter(({ name }) => Object.hasOwn(now.prints, name))) {
    const { name } = field
    const mine = given.has(name) ? undefined : sentPrint(field, sent)
    outcomes.set(name, outcomeOf({ opened: opened?.prints[name], mine, now: now.prints[name] }))
  }
  const names = (wanted: Outcome) =>
    [...outcomes].filter(([, outcome]) => outcome === wanted).map(([name]) => name)
  const merged = () => withTexts(sent, fieldsIn(fields, [...names('theirs'), ...given]), texts)
  for (const name of hidingConditions(form, record, sent, merged(), names('mine'))) {
    if (outcomes.get(name) === 'theirs') outcomes.set(name, 'asked')
  }
  const changed = Object.entries(now.facts).filter(([name, print]) => {
    const before = opened?.facts[name]
    return before !== undefined && before !== print
  })
  return {
    submission: merged(),
    outcomes,
    theirs: [...names('theirs'), ...changed.map(([name]) => name)],
    asked: new Set(names('asked')),
  }
}

/**
 * Returns the fields whose new values would hide a field that the user changed, so that this change would be lost.
 *
 * @param mine  API names of the fields that the user changed
 */
function hidingConditions(
  form: FormPage,
  record: LucidRow,
  sent: Submission,
  merged: Submission,
  mine: readonly string[]
): string[] {
  const before = form.unseen(sent, record)
  const after = form.unseen(merged, record)
  const lost = mine.filter((name) => after.has(name) && !before.has(name))
  return fieldsIn(form.fields, lost).flatMap(({ condition }) => [...(condition?.keys() ?? [])])
}

function fieldsIn(fields: readonly FormField[], names: readonly string[]): FormField[] {
  return fields.filter(({ name }) => names.includes(name))
}

/**
 * Returns the submission as if some fields had been submitted with the texts of the record.
 *
 * @param texts  texts of the record, by field name
 */
export function withTexts(
  submission: Submission,
  fields: readonly FormField[],
  texts: Record<string, string[]>
): Submission {
  if (fields.length === 0) return submission
  const names = new Set(fields.map(({ name }) => name))
  const without = <Value>(entries: Iterable<[string, Value]>) =>
    [...entries].filter(([name]) => !names.has(name))
  const values = Object.fromEntries(without(Object.entries(submission.values)))
  for (const field of fields) {
    const value = readBack(field, texts[field.name] ?? [])
    if (value !== undefined) values[field.name] = value
  }
  return {
    ...submission,
    values,
    shown: {
      ...submission.shown,
      ...Object.fromEntries(fields.map(({ name }) => [name, texts[name] ?? []])),
    },
    cleared: new Set([...submission.cleared].filter((name) => !names.has(name))),
    files: new Map(without(submission.files)),
    fileLists: new Map(without(submission.fileLists)),
    errors: submission.errors.filter(({ field }) => !names.has(field)),
  }
}

/** Parses the texts of a field; undefined for files and hidden fields, and if the texts can't be parsed. */
function readBack(field: FormField, texts: readonly string[]): unknown {
  if (field.valueType === 'file' || field.hidden) return undefined
  try {
    return valueOf(
      field,
      texts.filter((text) => text.trim() !== '')
    )
  } catch {
    return undefined
  }
}
