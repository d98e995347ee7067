import { JobFailure } from '../jobs/job_errors.js'

/** Thrown for an export that is not possible as requested, with a message of the catalogue. */
export class ExportRefused extends JobFailure {
  /**
   * @param key  key of the message in the catalogue
   */
  constructor(key: string, data: Record<string, unknown> = {}) {
    super(key, data, { status: 422, code: 'E_EXPORT_REFUSED' })
  }
}
