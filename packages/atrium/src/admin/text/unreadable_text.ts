import { Exception } from '@adonisjs/core/exceptions'

/**
 * A form text that can't be converted to a value, so that the schema never receives it.
 */
export class UnreadableText extends Exception {
  static status = 500
  static code = 'E_UNREADABLE_TEXT'

  constructor(
    readonly rule: string,
    message: string
  ) {
    super(message)
  }
}
