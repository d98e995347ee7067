import { Exception } from '@adonisjs/core/exceptions'

/** An error whose page shows a specific text. */
export abstract class PageError extends Exception {
  /** Key of the text in the catalogue */
  abstract readonly textKey: string
  /** Data of the text */
  readonly textData: Record<string, unknown> = {}
}
