import type { HttpContext } from '@adonisjs/core/http'
import type { Item } from '#crud/types'

/**
 * What a cell shows. A text is shown as text, whatever it holds.
 */
export interface Cell {
  text: string
  /** Shown when the pointer rests on the cell */
  title?: string
  /**
   * Where the cell leads, beginning with `/`, `http://`, `https://` or `mailto:`; with anything else,
   * `//` included, there is no link, only the text
   */
  href?: string
}

/**
 * A column of one's own in a list, computed from the record.
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
  /** Unlike that of any other column of the list */
  abstract readonly name: string
  /** What stands above it */
  abstract readonly label: string
  /** Whether it is set to the right, in figures of one width */
  readonly numeric: boolean = false
  /** Wire name of the column that a click on the heading sorts by. Default: it sorts by none */
  readonly sortBy?: string

  /**
   * @param item  the record as answers have it
   */
  abstract value(item: Item, ctx: HttpContext): Cell | string | Promise<Cell | string>
}
