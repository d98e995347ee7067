import { plainTexts } from './field_texts.js'

/**
 * How one field of a form is shown and read, in a way of one's own.
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
   * Edge template below resources/views. It gets `field`, with its `id`, `name`, `value` (`values` if it
   * takes several), `label` and `attributes`; label, help and error stand around it.
   */
  abstract readonly template: string

  /**
   * Turns what the form sent into the value that the schema gets. By default the text itself.
   *
   * @param values  as submitted, trimmed, without empty ones
   * @throws Error  with what to say beside the field
   */
  read(values: string[]): unknown {
    return values.length > 1 ? values : values[0]
  }

  /**
   * The opposite: what the template gets for a stored value, in `values`. By default its text.
   *
   * @param value  as the wire has it, never null
   */
  show(value: unknown): string[] {
    return plainTexts(value)
  }
}
