import type { HttpContext } from '@adonisjs/core/http'
import type { Item } from '#crud'

/** Content of a cell. Text is always escaped. */
export interface Cell {
  text: string
  /** Tooltip of the cell */
  title?: string
  /**
   * Link of the cell. It must start with a single `/`, or with `http://`, `https://` or `mailto:`; other values are
   * ignored
   */
  href?: string
}

/**
 * A custom list column, computed from the record.
 *
 * @example
 * ```ts
 * class Margin extends ListColumn {
 *   name = 'margin'
 *   label = 'Margin'
 *   numeric = true
 *   value(film: Item) {
 *     return `${film.worldwide_gross - film.production_budget}`
 *   }
 * }
 * ```
 */
export abstract class ListColumn {
  /** Unique among the columns of the list */
  abstract readonly name: string
  /** Header of the column */
  abstract readonly label: string
  /** True for right alignment and digits of equal width */
  readonly numeric: boolean = false
  /** API name of the column to sort by when the header is clicked. Default: not sortable */
  readonly sortBy?: string

  /**
   * Returns the content of the column's cell.
   *
   * @param item  the record as returned by the API
   */
  abstract value(item: Item, ctx: HttpContext): Cell | string | Promise<Cell | string>
}
