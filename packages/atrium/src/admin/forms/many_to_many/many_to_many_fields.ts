import type { HttpContext } from '@adonisjs/core/http'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import { pivotTableOf } from '#base/database/pivot_table'
import type { AdminSite } from '../../admin_site.js'
import type { ModelView } from '../../model_view.js'
import { seenManyToMany, type ManyToMany } from '../../relations/many_to_many.js'
import type { FormField } from '../fields/form_field.js'
import type { FormMode } from '../fields/form_fields.js'
import { conditionOf } from '../fields/visible_when.js'
import { ManyToManyWidget } from './many_to_many_widget.js'
import { pivotColumnsOf } from './pivot_columns.js'
import { PivotRowsWidget } from './pivot_rows_widget.js'

/**
 * The many-to-many fields of a form that the signed-in user may fill in, on every record. A record with more attached
 * ones than a form sends has no such field. [R3, U3]
 *
 * @param view    as their roles leave it
 * @param record  of an update
 */
export async function manyToManyFields(
  ctx: HttpContext,
  site: AdminSite,
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

/** Rows with cells where the relation declares columns of the pivot. */
async function widgetOf(
  ctx: HttpContext,
  site: AdminSite,
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
