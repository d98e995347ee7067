import type { UpdateOptions } from '#crud'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import type { WantedRelated } from '#crud/internals'
import type { FormField } from '../fields/form_field.js'
import type { Submission } from '../submission/submission.js'
import { ManyToManyWidget } from './many_to_many_widget.js'

/**
 * Takes the values of many-to-many fields out of a submission, as schemas do not know them.
 *
 * @returns the rest, and what the write attaches and detaches; undefined if none of the fields was sent
 */
export function takeRelated(
  fields: readonly FormField[],
  submission: Submission
): [Submission, UpdateOptions['related']] {
  const names = fields.filter(isManyToMany).map(({ name }) => name)
  const sent = names.filter((name) => Object.hasOwn(submission.values, name))
  if (sent.length === 0) return [submission, undefined]
  const values = Object.entries(submission.values).filter(([name]) => !sent.includes(name))
  const related = sent.map((name) => [name, submission.values[name] as WantedRelated] as const)
  return [{ ...submission, values: Object.fromEntries(values) }, new Map(related)]
}

/** Returns true if a write attaches or detaches anything. */
export async function changesRelated(
  fields: readonly FormField[],
  related: UpdateOptions['related'],
  record: LucidRow
): Promise<boolean> {
  for (const { name, widget } of fields) {
    const wanted = related?.get(name)
    if (!wanted || !(widget instanceof ManyToManyWidget)) continue
    if (
      wanted.values &&
      [...wanted.values.values()].some(({ values }) => Object.keys(values).length > 0)
    ) {
      return true
    }
    const begun = wanted.shown ?? (await widget.keysOf(record))
    const before = new Set(begun.map(String))
    const after = new Set(wanted.keys.map(String))
    if (before.symmetricDifference(after).size > 0) return true
  }
  return false
}

/**
 * Texts of a record's attached records, for the form of a new one like it. [R11]
 */
export async function copiedRelated(
  fields: readonly FormField[],
  record: LucidRow
): Promise<Record<string, string[]>> {
  const texts: Record<string, string[]> = {}
  for (const { name, widget } of fields) {
    if (widget instanceof ManyToManyWidget) texts[name] = await widget.copied(record)
  }
  return texts
}

function isManyToMany({ widget }: FormField): boolean {
  return widget instanceof ManyToManyWidget
}
