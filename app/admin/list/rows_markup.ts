import { escaped } from '../text/markup.js'
import type { ShownCell } from './cell.js'
import type { ColumnStyle, Row } from './list_table.js'

/**
 * Renders the rows of a list's table as markup. Rows are most of a page, and a template would take
 * several times as long.
 *
 * @param styles  presentation of the columns
 * @param mark    text that marks a deleted record
 */
export function rowsMarkup(
  rows: readonly Row[],
  styles: readonly ColumnStyle[],
  { hasCheckboxes, mark }: { hasCheckboxes: boolean; mark: string }
): string {
  let markup = ''
  for (const row of rows) {
    markup += row.isDeleted ? '<tr class="is-deleted">' : '<tr>'
    if (hasCheckboxes) markup += checkbox(row)
    for (const [index, cell] of row.cells.entries()) {
      markup += cellMarkup(cell, styles[index], row.isDeleted ? mark : '')
    }
    markup += '</tr>\n'
  }
  return markup
}

function checkbox({ key, title, label, isDeleted }: Row): string {
  const names = `value="${escaped(key)}" data-title="${escaped(title)}" aria-label="${escaped(label)}"`
  const deleted = isDeleted ? ' data-deleted' : ''
  return `<td class="list-check"><input class="input" type="checkbox" name="ids" ${names}${deleted} autocomplete="off"></td>\n`
}

function cellMarkup(cell: ShownCell, { isLead, style }: ColumnStyle, mark: string): string {
  const title = cell.title ? ` title="${escaped(cell.title)}"` : ''
  const begin = ` class="${escaped(cell.kind)}${style}"${title}>${contentOf(cell)}`
  if (!isLead) return `<td${begin}</td>\n`
  const deleted = mark === '' ? '' : ` <span class="sr-only">${escaped(mark)}</span>`
  return `<th scope="row"${begin}${deleted}</th>\n`
}

function contentOf({ kind, text, href }: ShownCell): string {
  const shown = escaped(text)
  if (kind === 'null')
    return `<span aria-hidden="true">&ndash;</span><span class="sr-only">${shown}</span>`
  return href ? `<a href="${escaped(href)}">${shown}</a>` : shown
}
