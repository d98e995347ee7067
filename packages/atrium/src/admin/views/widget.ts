import type { HttpContext } from '@adonisjs/core/http'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import { plainTexts } from './visible_when.js'

/** A choice of a field, such as a record that a reference field can refer to. */
export interface Choice {
  /** Text that is submitted, such as the value of the foreign key */
  value: string
  label: string
  /** Additional line of text, for templates that have space for it */
  help?: string
}

export const WIDGETS = [
  'text',
  'textarea',
  'number',
  'checkbox',
  'date',
  'datetime-local',
  'time',
  'select',
  'multi-select',
  'email',
  'url',
  'password',
  'json',
  'file',
  'image',
  'money',
  'tags',
  'markdown',
  'slug',
  'colour',
] as const

/** Built-in widgets. */
export type WidgetName = (typeof WIDGETS)[number]

/**
 * A custom way to render and parse one form field.
 *
 * @example
 * ```ts
 * class Stars extends Widget {
 *   template = 'widgets/stars'
 *   read([stars]: string[]) {
 *     return stars.length
 *   }
 *   show(rating: unknown) {
 *     return ['★'.repeat(Number(rating))]
 *   }
 * }
 * ```
 */
export abstract class Widget {
  /**
   * Edge template, relative to resources/views. Receives `field`, with its `id`, `name`, `value`
   * (`values` for several), `label` and `attributes`; label, help and error are rendered around it.
   */
  abstract readonly template: string

  /** Stylesheet of the site that the widget needs */
  readonly sheet?: string

  /** True if the template contains several inputs, which are grouped below the label */
  readonly isGroup?: boolean

  /** True if the value describes changes instead of a state, so that changes of two users never conflict */
  readonly describesChanges?: boolean

  /**
   * Can be overridden for widgets whose inputs have other names. Returns the texts of the field from all submitted
   * inputs.
   *
   * @returns undefined to use the texts that were submitted under the name of the field
   */
  collect?(name: string, sent: ReadonlyMap<string, readonly string[]>): string[] | undefined

  /**
   * Can be overridden. Returns true if a button of the widget was pressed that renders the form again without saving.
   */
  rerenders?(name: string, sent: ReadonlyMap<string, readonly string[]>): boolean

  /**
   * Can be overridden. Returns additional data for the template, as `field.data`.
   *
   * @param values  texts that the field shows
   */
  data?(ctx: HttpContext, name: string, values: string[]): Promise<unknown>

  /**
   * Converts submitted texts to the value for the schema. Default: the text, or an array if there are several.
   *
   * @param values  submitted texts, trimmed and not empty
   * @throws Error  with a message to show next to the field
   */
  read(values: string[]): unknown {
    return values.length > 1 ? values : values[0]
  }

  /**
   * Converts a stored value to the texts for the template's `values`. Default: its plain text.
   *
   * @param value  value in the format of the API, never null
   */
  show(value: unknown): string[] {
    return plainTexts(value)
  }

  /**
   * Can be overridden. Formats a value for display. Default: the format of lists.
   *
   * @param value  value in the format of the API, never null
   */
  words?(value: unknown): string

  /** Can be overridden for a field that is not a column. Returns the texts of a record's form. */
  stored?(record: LucidRow): Promise<string[]>

  /** Can be overridden for a field that is not a column. Returns the initial texts of a blank form. */
  initial?(): Promise<string[]>

  /** Can be overridden. Returns the choices, for the template's `field.choices`. */
  choices?(ctx: HttpContext): Promise<Choice[]>
}
