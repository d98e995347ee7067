import type { HttpContext } from '@adonisjs/core/http'
import { chosenNames } from '../../list/columns/column_choices.js'
import { ListTable } from '../../list/list_table.js'
import { rowsMarkup } from '../../list/rows_markup.js'
import type { ListCard } from '../../views/admin_card.js'
import { listOfCard, type CardSite } from './card_list.js'

/* Maximum number of columns, because a card is narrower than a list */
const MOST_COLUMNS = 4

/** Content of a card with the first rows of a list */
export interface RowsBody {
  kind: 'rows'
  headings: Array<{ label: string; style: string }>
  /** Markup of the rows; empty if there are none */
  markup: string
  url: string
}

/** Reads the first rows of a list for a card. */
export async function rowsBody(
  ctx: HttpContext,
  site: CardSite,
  card: ListCard
): Promise<RowsBody> {
  const parameters = await listOfCard(ctx, site, card)
  const { view } = parameters
  const names = chosenNames(view, parameters.shownColumns).slice(0, MOST_COLUMNS)
  const table = new ListTable(site, view, names)
  const request = parameters
    .with({ page: 1, rows: card.rows })
    .toRequest({ count: false, fields: table.fields })
  const { data } = await view.crud.getMulti(request, { ...view.callOptions(ctx), keys: true })
  const rows = await table.rows(ctx, data, parameters)
  const mark = site.text('list.deletedMark')
  return {
    kind: 'rows',
    headings: table.columns.map(({ label }, at) => ({ label, style: table.styles[at].style })),
    markup: rowsMarkup(rows, table.styles, { hasCheckboxes: false, mark, marked: null }),
    url: parameters.url,
  }
}
