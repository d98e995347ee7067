import type { HttpContext } from '@adonisjs/core/http'
import type { Item } from '#crud'

/**
 * Content of a cell. Text is always shown as text and never as markup.
 */
export interface Cell {
  text: string
  /** Tooltip of the cell */
  title?: string
  /**
   * Link of the cell: starts with `/`, `http://`, `https://` or `mailto:`; any other value,
   * including one that starts with `//`, is ignored
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
  /** Right-aligned, with digits of equal width */
  readonly numeric: boolean = false
  /** API name of the column that a click on the header sorts by. Default: not sortable */
  readonly sortBy?: string

  /**
   * @param item  the record as returned by the API
   */
  abstract value(item: Item, ctx: HttpContext): Cell | string | Promise<Cell | string>
}
