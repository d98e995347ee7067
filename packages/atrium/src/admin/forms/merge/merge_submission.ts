import type { LucidRow } from '@adonisjs/lucid/types/model'
import { valueOf } from '../fields/field_texts.js'
import type { FormField } from '../fields/form_field.js'
import type { FormPage } from '../form_page.js'
import type { Submission } from '../submission/submission.js'
import { storedTexts } from '../submission/unchanged_fields.js'
import { sentPrint, printsOf, type OpenedRecord } from './opened_record.js'

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
export async function mergeSubmission(
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
