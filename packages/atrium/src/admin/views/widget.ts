import type { HttpContext } from '@adonisjs/core/http'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import { plainTexts } from './visible_when.js'

/**
 * A record that a reference field may refer to.
 */
export interface Choice {
  /** Value of the foreign key, as text */
  value: string
  label: string
  /** A line that says more, where the template has room for one */
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

/** Built-in widgets. [B17] */
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

  /** A stylesheet of the site that the page needs for it */
  readonly sheet?: string

  /** True if the template has several inputs, which the label heads as a group */
  readonly isGroup?: boolean

  /** True if its value says what was changed, so that two people's changes never meet [R15] */
  readonly tellsChanges?: boolean

  /**
   * Overridable, for several inputs of other names: the texts of the field out of all that the form sent.
   *
   * @returns undefined for what was sent under the field's own name
   */
  collect?(name: string, sent: ReadonlyMap<string, readonly string[]>): string[] | undefined

  /**
   * Overridable: whether a button of the widget only wants the form again, with all that was typed.
   */
  asksAgain?(name: string, sent: ReadonlyMap<string, readonly string[]>): boolean

  /**
   * Overridable: what else the template gets, as `field.data`.
   *
   * @param values  the texts that the field shows
   */
  data?(ctx: HttpContext, name: string, values: string[]): Promise<unknown>

  /**
   * Converts submitted texts to the value for the schema. Default: the text, or the texts if
   * several.
   *
   * @param values  submitted texts, trimmed and not empty
   * @throws Error  whose message is shown next to the field
   */
  read(values: string[]): unknown {
    return values.length > 1 ? values : values[0]
  }

  /**
   * Converts a stored value to the texts for the template's `values`. Default: its plain text.
   *
   * @param value  value of the API, never null
   */
  show(value: unknown): string[] {
    return plainTexts(value)
  }

  /**
   * Overridable: a value in words, for pages that show it next to another one. Default: as lists show it.
   *
   * @param value  value of the API, never null
   */
  words?(value: unknown): string

  /**
   * Overridable, for a field that is not a column: what the form of a record shows for it.
   */
  stored?(record: LucidRow): Promise<string[]>

  /**
   * Overridable, for a field that is not a column: what a blank form begins with.
   */
  initial?(): Promise<string[]>

  /**
   * Overridable: what can be chosen, for the template's `field.choices`.
   */
  choices?(ctx: HttpContext): Promise<Choice[]>
}
