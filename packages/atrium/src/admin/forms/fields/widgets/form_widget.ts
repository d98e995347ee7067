import type { ShownCell } from '../../../list/cell.js'
import { Widget } from '../../../views/widget.js'

export type Text = (key: string, data?: Record<string, unknown>) => string

/**
 * The server's preview of a text while it is typed.
 */
export interface Preview {
  type: 'html' | 'text'
  content: string
}

/**
 * A widget of the site with options of its own, for forms and for the pages that show its values. [R13]
 */
export abstract class FormWidget extends Widget {
  /** The built-in control that takes the texts, in the place of a template of its own */
  readonly control?: 'input'
  /** The built-in control that edits it in the cell of a list; none leaves it to the form */
  readonly cellControl?: 'input' | 'textarea'
  /** True if it is in the box with units and the cross that empties it */
  readonly hasBox: boolean = false
  /** True if it takes the whole width of a form */
  readonly isWide: boolean = false
  readonly prefix?: string
  readonly suffix?: string
  /** True if a create form may leave it empty although the schema requires it */
  readonly fillsItself: boolean = false
  /** True if its value is a list, which can be emptied to an empty one */
  readonly isList: boolean = false
  /** Key of a text that helps where the options have none */
  readonly helpKey?: string

  /** Attributes of the input. Default: the constraints of the schema */
  attributesFrom(constraints: Record<string, string | number>): Record<string, string | number> {
    return constraints
  }

  /**
   * A value in a list.
   *
   * @param value  value of the API, never null
   * @returns null to show it as without a widget
   */
  cell?(value: unknown, text: Text): ShownCell | null

  /** A value on the page of its record. Default: as in a list */
  whole?(value: unknown, text: Text): ShownCell | null

  preview?(text: string): Preview
}
