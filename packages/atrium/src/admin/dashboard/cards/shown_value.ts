import type { Column } from '#base/columns/column'
import { groupedNumber } from '#base/values/grouped_number'
import { widgetShow } from '../../forms/fields/widgets/widget_cells.js'
import { cellsOf } from '../../list/cell.js'
import { withUnits } from '../../list/table_columns.js'
import type { CardSelect } from '../../views/admin_card.js'
import type { ModelView } from '../../views/model_view.js'
import type { Site } from '../../views/site.js'

/** Returns the column that a card sums; undefined for a card that counts. */
export function summedColumn(view: ModelView, select: CardSelect): Column | undefined {
  return select === 'count' ? undefined : view.resource.columns.find(select.slice('sum:'.length))
}

/** Formats the values of a card as a list formats those of the summed column. */
export function shownValues(
  site: Pick<Site, 'text'>,
  view: ModelView,
  select: CardSelect,
  values: ReadonlyArray<string | number>
): string[] {
  const column = summedColumn(view, select)
  if (!column) return values.map((value) => groupedNumber(Number(value)))
  const text = site.text.bind(site)
  const own = widgetShow(view, column, text)
  const cells = cellsOf(column, values, { isGrouped: true, text, own })
  return cells.map((cell) => (own ? cell : withUnits(view, column.apiName, cell)).text)
}

/** Returns the number in a result of `aggregate`. The sum of no values is 0. */
export function valueIn(row: Record<string, unknown> | undefined, select: CardSelect) {
  return (row?.[select] ?? 0) as string | number
}
