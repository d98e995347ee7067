import type { ShownCell } from '../../../list/cell.js'
import { Widget } from '../../../views/widget.js'

export type Text = (key: string, data?: Record<string, unknown>) => string

/** The server's preview of a text that is being typed. */
export interface Preview {
  type: 'html' | 'text'
  content: string
}

/** A widget of the site with additional options, for forms and for pages that show its values. */
export abstract class FormWidget extends Widget {
  /** Built-in control for the input, instead of a template */
  readonly control?: 'input'
  /** Built-in control for editing in a list cell; undefined if the widget is only editable in forms */
  readonly cellControl?: 'input' | 'textarea'
  /** True if the input has a box with units and a button to clear it */
  readonly hasBox: boolean = false
  /** True if the field has the full width of the form */
  readonly isWide: boolean = false
  readonly prefix?: string
  readonly suffix?: string
  /** True if the field may be empty in a create form although the schema requires it, as the widget sets a value */
  readonly fillsItself: boolean = false
  /** True if the value is a list, which is cleared to an empty list */
  readonly isList: boolean = false
  /** Catalogue key of the help text if the options contain none */
  readonly helpKey?: string

  /** Returns the attributes of the input. Default: the constraints of the schema */
  attributesFrom(constraints: Record<string, string | number>): Record<string, string | number> {
    return constraints
  }

  /**
   * Formats a value in a list.
   *
   * @param value  value in the format of the API, never null
   * @returns null to use the format without a widget
   */
  cell?(value: unknown, text: Text): ShownCell | null

  /** Formats a value on the page of its record. Null: the format without a widget. Default: the format in lists */
  whole?(value: unknown, text: Text): ShownCell | null

  preview?(text: string): Preview
}
