import { Exception } from '@adonisjs/core/exceptions'

/**
 * Why nothing was done to the selected records, as a text of the catalogue. [B19]
 */
export class BulkFailure extends Exception {
  /**
   * @param status  400 or 422
   * @param key     of the text
   */
  constructor(
    status: number,
    readonly key: string,
    readonly data: Record<string, unknown> = {}
  ) {
    super(key, { status, code: 'E_BULK' })
  }
}
