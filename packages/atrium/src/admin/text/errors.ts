import { Exception } from '@adonisjs/core/exceptions'

/** A text of a form that cannot be converted to a value, so it is not passed to the schema. */
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

/** An error whose page shows a specific text. */
export abstract class PageError extends Exception {
  /** Key of the text in the catalogue */
  abstract readonly textKey: string
  /** Data of the text */
  readonly textData: Record<string, unknown> = {}
}
