import { Exception } from '@adonisjs/core/exceptions'

/** Failure of a bulk task, which changed nothing, with a message of the catalogue. [B19] */
export class BulkFailure extends Exception {
  /**
   * @param status  400, 409, 422 or 503
   * @param key     key of the message in the catalogue
   */
  constructor(
    status: number,
    readonly key: string,
    readonly data: Record<string, unknown> = {},
    cause?: unknown
  ) {
    super(key, { status, code: 'E_BULK', cause })
  }
}
