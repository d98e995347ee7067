import type { LucidRow } from '@adonisjs/lucid/types/model'
import { valueOf } from '../fields/field_texts.js'
import type { FormField } from '../fields/form_field.js'
import type { FormPage } from '../form_page.js'
import type { Submission } from '../submission/submission.js'
import { storedTexts } from '../submission/untouched.js'
import { sentPrint, printsOf, type OpenedRecord } from './opened_record.js'

/**
 * The outcome of a field that two people had open: their values are the same, one of them alone changed it, or
 * both did and one has to choose.
 */
type Outcome = 'same' | 'mine' | 'theirs' | 'asked'

/**
 * Prints of one field.
 */
export interface Versions {
  /** When the form was opened; undefined if that is not known */
  opened: string | undefined
  /** As sent; undefined if the field was left alone */
  mine: string | undefined
  /** In the record as it is now */
  now: string
}

/**
 * Compares three versions of a field. [R15]
 */
function outcomeOf({ opened, mine, now }: Versions): Outcome {
  if (mine === now) return 'same'
  if (opened === undefined) return mine === undefined ? 'same' : 'asked'
  if (mine === undefined || mine === opened) return opened === now ? 'same' : 'theirs'
  return now === opened ? 'mine' : 'asked'
}

/**
 * A submission after another person's changes to its record.
 */
export interface Merge {
  /** The submission with the other person's values where only they changed them */
  submission: Submission
  /** By API name, of the fields of the form that are shown */
  outcomes: ReadonlyMap<string, Outcome>
  /** API names of all fields that only the other person changed, those that the form does not have too */
  theirs: readonly string[]
  /** API names of the fields that both changed */
  asked: ReadonlySet<string>
}

/**
 * Merges a submission with the record as it is now. [R15]
 *
 * @param form    of the record as it is now
 * @param opened  null if it is not known: then one has to choose wherever the two differ
 * @param given   names of the fields for which the person has chosen the record's value
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
  for (const name of conditionsInTheWay(form, record, sent, merged(), names('mine'))) {
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
 * The fields with whose new values a changed field would no longer be part of the form, and be lost. [R14]
 *
 * @param mine  API names of the fields that the person changed
 */
function conditionsInTheWay(
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
 * The submission as if fields had been sent as the record shows them.
 *
 * @param texts  of the record, by name
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
    errors: submission.errors.filter(({ field }) => !names.has(field)),
  }
}

/** A stored value that its form can't read is not sent. */
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
