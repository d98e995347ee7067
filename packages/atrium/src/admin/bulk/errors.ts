import { JobFailure } from '../jobs/job_errors.js'

/** Failure of a bulk task, which changed nothing, with a message of the catalogue. */
export class BulkFailure extends JobFailure {
  /**
   * @param status  400, 409, 422 or 503
   * @param key     key of the message in the catalogue
   */
  constructor(status: number, key: string, data: Record<string, unknown> = {}, cause?: unknown) {
    super(key, data, { status, code: 'E_BULK', cause })
  }
}
