import type { HttpContext } from '@adonisjs/core/http'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import { pivotTableOf } from '#base/database/pivot_table'
import type { UpdateOptions } from '#crud'
import type { WantedRelated } from '#crud/internals'
import type { Site } from '../../views/site.js'
import type { ModelView } from '../../views/model_view.js'
import { seenManyToMany, type ManyToMany } from '../../relations/many_to_many.js'
import type { FormField } from '../fields/form_field.js'
import type { FormMode } from '../fields/form_fields.js'
import { conditionOf } from '../../views/visible_when.js'
import type { Submission } from '../submission/submission.js'
import { ManyToManyWidget } from './many_to_many_widget.js'
import { pivotColumnsOf } from './pivot_columns.js'
import { PivotRowsWidget } from './pivot_rows_widget.js'

/**
 * Returns the many-to-many fields of a form that the signed-in user can write on every record. A field is left out if
 * more records are attached than a form can submit.
 *
 * @param view    the view, limited by the user's roles
 * @param record  record to update; undefined for a create form
 */
export async function manyToManyFields(
  ctx: HttpContext,
  site: Site,
  view: ModelView,
  mode: FormMode,
  record?: LucidRow
): Promise<FormField[]> {
  if (view.manyToMany.length === 0) return []
  const { projection } = view.resource
  const seen = await seenManyToMany(ctx, site, view)
  const offered = await Promise.all(
    seen.map(async (many) => {
      const isWritten = (projection?.writing(mode, many.name) ?? 'all') === 'all'
      if (!isWritten) return []
      const widget = await widgetOf(ctx, site, view, many)
      if (record && !(await widget.takes(record))) return []
      return [fieldOf(view, many, widget)]
    })
  )
  return offered.flat()
}

/** Returns a widget with rows if the relation has pivot columns for forms, otherwise one with keys only. */
async function widgetOf(
  ctx: HttpContext,
  site: Site,
  view: ModelView,
  many: ManyToMany
): Promise<ManyToManyWidget> {
  if (many.relation.columns.length > 0) {
    const table = await pivotTableOf(view.client(), many.relation.table)
    const columns = pivotColumnsOf(many, table, view.fieldOptions(many.name).pivot)
    if (columns.length > 0) return new PivotRowsWidget(ctx, site, view, many, columns, table)
  }
  return new ManyToManyWidget(ctx, site, view, many)
}

function fieldOf(
  view: ModelView,
  { label, name }: ManyToMany,
  widget: ManyToManyWidget
): FormField {
  const { help, visibleWhen } = view.fieldOptions(name)
  return {
    name,
    label,
    help,
    prefix: undefined,
    suffix: undefined,
    widget,
    valueType: 'json',
    required: false,
    condition: conditionOf(visibleWhen),
    nullable: false,
    emptied: [],
    column: undefined,
    virtual: true,
    multiple: true,
    choices: undefined,
    reference: undefined,
    attributes: {},
    hidden: false,
    secret: false,
    initial: [],
    asTyped: true,
    grouped: false,
    strict: false,
    takesFile: false,
  }
}

/**
 * Removes the values of many-to-many fields from a submission, as schemas do not contain them.
 *
 * @returns the rest of the submission, and the records to attach and detach; undefined if none of the fields was
 *   submitted
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

/** Returns true if a write attaches or detaches a record, or changes a pivot row. */
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

/** Returns the texts of a record's attached records, for a create form that copies the record. */
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
