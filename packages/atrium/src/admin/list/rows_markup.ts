import { escaped, isFromTheRight } from '../text/plain_text.js'
import type { ShownCell } from './cell.js'
import type { ColumnStyle, Row } from './table_columns.js'

/** Returns the content of a cell as markup, for lists and for read-only values in forms. */
export function cellMarkup({ kind, text, href, whole, markup, color }: ShownCell): string {
  const shown = markup ?? escaped(text)
  if (kind === 'null')
    return `<span aria-hidden="true">–</span><span class="sr-only">${shown}</span>`
  const colour = color ? ` data-color="${color}"` : ''
  const content = kind === 'choice' ? `<span class="value-badge"${colour}>${shown}</span>` : shown
  if (href) return `<a href="${escaped(href)}"${relationOf(href)}>${content}</a>`
  if (whole === undefined) return content
  return `<details class="folded"><summary>${content}</summary><pre tabindex="0">${escaped(whole)}</pre></details>`
}

/** Returns the attributes of links to other sites, which open in a new tab and get no access to this page. */
function relationOf(href: string): string {
  return href.startsWith('http') ? ' target="_blank" rel="noopener noreferrer"' : ''
}

interface RowsOptions {
  hasCheckboxes: boolean
  /** Actions on a record, in a menu of each row */
  actions?: RowActions | null
  /** Handles to move the rows; null if they cannot be moved */
  moves?: RowMoves | null
  /** Text that marks a deleted record */
  mark: string
  /** Key of the record to highlight, in the format of URL paths without the leading slash */
  marked: string | null
}

/**
 * Renders the rows of a list's table. Rows are most of a page, and a template would take several times as long.
 *
 * @param styles  formatting of the columns
 */
export function rowsMarkup(
  rows: readonly Row[],
  styles: readonly ColumnStyle[],
  { actions, hasCheckboxes, mark, marked, moves }: RowsOptions
): string {
  let markup = ''
  for (const row of rows) {
    markup += rowTag(row, marked)
    if (moves) markup += handle(row, moves)
    if (hasCheckboxes) markup += checkbox(row)
    for (const [index, cell] of row.cells.entries()) {
      markup += tableCell(cell, styles[index], row.isDeleted ? mark : '')
    }
    if (actions) markup += actionMenu(row, actions)
    markup += '</tr>\n'
  }
  return markup
}

/** Returns the start tag of a row. The highlighted row is scrolled to and focused. */
function rowTag({ isDeleted, key }: Row, marked: string | null): string {
  const classes = [isDeleted && 'is-deleted', key === marked && 'is-marked'].filter(Boolean)
  const style = classes.length > 0 ? ` class="${classes.join(' ')}"` : ''
  return key === marked
    ? `<tr${style} tabindex="-1" autofocus aria-current="true">`
    : `<tr${style}>`
}

/** Links to actions on a record; each URL ends before the key of the record. */
export interface RowActions {
  /** Label of the menu, with `{title}` for the title of the record */
  label: string
  links: Array<{ label: string; url: string }>
  /** Query string of the links */
  query: string
}

/** Returns the cell with the menu of a row; empty for a deleted record. */
function actionMenu({ isDeleted, key, title }: Row, { label, links, query }: RowActions): string {
  if (isDeleted || key === '') return '<td class="list-actions"></td>\n'
  const name = escaped(label.replace('{title}', () => title))
  const items = links.map(
    (one) => `<li><a href="${escaped(`${one.url}/${key}?${query}`)}">${escaped(one.label)}</a></li>`
  )
  const id = escaped(`actions-${key}`)
  return `<td class="list-actions"><button class="row-menu" type="button" popovertarget="${id}" aria-label="${name}" title="${name}"><span aria-hidden="true">⋯</span></button><ul class="row-actions" id="${id}" popover>${items.join('')}</ul></td>\n`
}

/** Handles of a list's rows. */
export interface RowMoves {
  /** Returns the URL that moves of a row are sent to. */
  urlOf(key: string): string
  /** Returns the label of a row's handle. */
  labelOf(title: string): string
}

function handle({ key, title }: Row, moves: RowMoves): string {
  const label = escaped(moves.labelOf(title))
  return `<td class="list-move"><a class="move-handle" href="${escaped(moves.urlOf(key))}" data-key="${escaped(key)}" aria-label="${label}" title="${label}"></a></td>\n`
}

function checkbox({ key, title, label, isDeleted }: Row): string {
  if (key === '') return '<td class="list-check"></td>\n'
  const names = `value="${escaped(key)}" data-title="${escaped(title)}" aria-label="${escaped(label)}"`
  const deleted = isDeleted ? ' data-deleted' : ''
  return `<td class="list-check"><input class="input" type="checkbox" name="ids" ${names}${deleted} autocomplete="off"></td>\n`
}

function tableCell(cell: ShownCell, { isLead, style, card }: ColumnStyle, mark: string): string {
  const title = cell.title ? ` title="${escaped(cell.title)}"` : ''
  const begin = ` class="${escaped(cell.kind)}${style}"${title}${card}>${directed(cell)}`
  if (!isLead) return `<td${begin}</td>\n`
  const deleted = mark === '' ? '' : ` <span class="deleted-mark">${escaped(mark)}</span>`
  return `<th scope="row"${begin}${deleted}</th>\n`
}

/**
 * Returns the content with its text direction, so that a right-to-left text is cut at its left end. The cell keeps
 * the direction and alignment of the table.
 */
function directed(cell: ShownCell): string {
  const markup = cellMarkup(cell)
  return isFromTheRight(cell.text) ? `<div class="cell-text" dir="auto">${markup}</div>` : markup
}
