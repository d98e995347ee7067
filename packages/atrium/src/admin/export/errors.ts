import { Exception } from '@adonisjs/core/exceptions'

/** Thrown for an export that is not possible as requested, with a message of the catalogue. [D2] */
export class ExportRefused extends Exception {
  /**
   * @param key  key of the message in the catalogue
   */
  constructor(
    readonly key: string,
    readonly data: Record<string, unknown> = {}
  ) {
    super(key, { status: 422, code: 'E_EXPORT_REFUSED' })
  }
}
