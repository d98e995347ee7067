/**
 * How one field of a form is shown and read, in a way of one's own.
 */
export abstract class Widget {
  /** Edge template below resources/views; it gets `field`, with its name, value, label and attributes */
  abstract readonly template: string

  /**
   * Turns what the form sent into the value that the schema gets. By default the text itself.
   *
   * @param values  as submitted, trimmed, without empty ones
   */
  read(values: string[]): unknown {
    return values.length > 1 ? values : values[0]
  }
}
