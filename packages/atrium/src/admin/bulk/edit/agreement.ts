import type { LucidRow } from '@adonisjs/lucid/types/model'
import type { FormField } from '../../forms/fields/form_field.js'
import { Widget } from '../../forms/fields/widget.js'
import { storedTexts } from '../../forms/submission/untouched.js'
import type { ModelView } from '../../model_view.js'

/**
 * The values of several records in a field: the same, all of them none, or not the same. `unknown` where
 * forms don't show what is stored.
 */
export type Agreement = 'same' | 'empty' | 'differs' | 'unknown'

/**
 * The state of each field in a selection.
 */
export interface Agreements {
  /** By API name */
  states: Record<string, Agreement>
  /** The texts that forms show for the fields in which the records agree, by API name */
  shown: Record<string, string[]>
}

/**
 * Compares several records field by field, as their forms show them. [L9]
 *
 * @param records  as the viewer may see them; at least one
 */
export async function agreementsOf(
  view: ModelView,
  fields: readonly FormField[],
  records: readonly LucidRow[]
): Promise<Agreements> {
  const stored = records.map((record) => storedTexts(fields, record))
  const agreements: Agreements = { states: {}, shown: {} }
  for (const field of fields) {
    const { name } = field
    const texts = Object.hasOwn(stored[0], name)
      ? commonTexts(stored.map((one) => one[name]))
      : await ownTexts(view, field, records)
    if (Array.isArray(texts)) {
      agreements.shown[name] = texts
      agreements.states[name] = texts.some((text) => text !== '') ? 'same' : 'empty'
    } else {
      agreements.states[name] = texts
    }
  }
  return agreements
}

function commonTexts(all: ReadonlyArray<readonly string[]>): string[] | 'differs' {
  const [first, ...others] = all
  const id = JSON.stringify(first)
  return others.every((texts) => JSON.stringify(texts) === id) ? [...first] : 'differs'
}

/** For a field that is not a column, its widget says what a record has; it may ask the database each time. */
async function ownTexts(
  view: ModelView,
  { column, widget }: FormField,
  records: readonly LucidRow[]
): Promise<string[] | 'differs' | 'unknown'> {
  if (column || !(widget instanceof Widget) || !widget.stored) return 'unknown'
  let first: string[] | undefined
  for (const record of records) {
    const stored = await widget.stored(view.resource.reader.shown(record))
    const texts = stored.toSorted()
    first ??= texts
    if (commonTexts([first, texts]) === 'differs') return 'differs'
  }
  return first ?? 'unknown'
}
