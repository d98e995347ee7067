import { Exception } from '@adonisjs/core/exceptions'

/** Thrown for an import that is not possible as requested, with a message of the catalogue. */
export class ImportRefused extends Exception {
  static status = 422
  static code = 'E_IMPORT'

  /**
   * @param key  key of the message in the catalogue
   */
  constructor(
    readonly key: string,
    readonly data: Record<string, unknown> = {}
  ) {
    super(key)
  }
}
