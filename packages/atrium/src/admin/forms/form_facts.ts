import type { HttpContext } from '@adonisjs/core/http'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import { cellsOf, textCell, type ShownCell } from '../list/cell.js'
import { cellMarkup } from '../list/cell_markup.js'
import { namesThings } from '../list/names_things.js'
import { withUnits } from '../list/units.js'
import type { AdminSite } from '../admin_site.js'
import type { ModelView } from '../model_view.js'
import { attachedFacts } from '../record/attached_facts.js'
import { itemOf } from '../record/item_of.js'
import { referencesOf, titlesIfReadable } from '../relations/references.js'
import { isChoice } from './fields/listed_choices.js'
import { widgetShow } from './fields/widgets/widget_cells.js'
import type { FormField } from './fields/form_field.js'

/**
 * The form of a record: its model, and what of it is written there.
 */
interface FormOfRecord {
  site: AdminSite
  view: ModelView
  fields: readonly FormField[]
  /** Many-to-many fields */
  related: readonly FormField[]
}

/**
 * Visible fields of the record that the form does not have, as facts below it.
 */
export async function formFacts(
  ctx: HttpContext,
  { site, view, fields, related }: FormOfRecord,
  record: LucidRow
) {
  const names = new Set(fields.filter(({ hidden }) => !hidden).map(({ name }) => name))
  const item = itemOf(view, record)
  const references = referencesOf(site, view)
  const facts = view.resource.fields
    .filter(({ apiName }) => !names.has(apiName))
    .map(async (column) => {
      const value = item[column.apiName]
      const reference = references.find((one) => one.column === column)
      const text = site.text.bind(site)
      const options = {
        isGrouped: !namesThings(view, column),
        own: widgetShow(view, column, text),
        isChoice: !reference && isChoice(view, column),
        text,
      }
      const [cell] = cellsOf(column, [value], options)
      const titles = reference && (await titlesIfReadable(ctx, view, reference, [value]))
      const title = titles?.get(String(value))
      const label = view.labelOf(column.apiName)
      const plain = options.own ? cell : withUnits(view, column.apiName, cell)
      const shown: ShownCell = title ? textCell(title) : plain
      const isTime = column.kind === 'datetime'
      return { label, kind: shown.kind, title: shown.title, isTime, markup: cellMarkup(shown) }
    })
  const shown = new Set(related.map(({ name }) => name))
  const attached = await attachedFacts(ctx, site, view, record, shown)
  return [...(await Promise.all(facts)), ...attached]
}
