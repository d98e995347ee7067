import { Exception } from '@adonisjs/core/exceptions'
import { PageError } from '../text/page_error.js'

/**
 * The user has as many jobs that have not ended as one may have. [D1]
 */
export class TooManyJobs extends PageError {
  static status = 429
  static code = 'E_TOO_MANY_JOBS'
  readonly textKey = 'jobs.tooMany'

  override readonly textData: { most: number }

  /**
   * @param most  the number of jobs
   */
  constructor(most: number) {
    super('Too many jobs of the user have not ended')
    this.textData = { most }
  }
}

/**
 * A job that could not be done, with a message of the catalogue for its page. [D1]
 */
export class JobFailure extends Exception {
  static code = 'E_JOB'

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

/**
 * A file that can't be read as a table, or not further than a line, or not written. [D2, D3]
 */
export class FileError extends JobFailure {
  static status = 422
  static code = 'E_FILE_FAULT'

  /**
   * @param key   key of the message in the catalogue, below `sheets.errors`
   * @param data  of the message; `at` is the line of the file where it is not `line`
   * @param line  as in `FileRow`, also in `data`; null for an error of the file as a whole
   */
  constructor(
    key: string,
    data: Record<string, unknown> = {},
    readonly line: number | null = null
  ) {
    super(key, line === null ? data : { at: line, ...data, line })
  }
}

/**
 * Reading a file has reached a limit of bytes or rows.
 */
export class ReadingLimit extends FileError {}

/**
 * The user with whose permissions a job runs was removed.
 */
export class JobOwnerGone extends JobFailure {
  constructor() {
    super('jobs.errors.ownerGone')
  }
}

/**
 * The process of a job is about to end: the rest is left to the next one.
 */
export class JobStopped extends Exception {
  static code = 'E_JOB_STOPPED'
  static message = 'The process is about to end'
}

/**
 * A run that is not its job's current one: it was cancelled, or another process took it over.
 */
export class JobSuperseded extends Exception {
  static code = 'E_JOB_SUPERSEDED'
  static message = 'The job was cancelled, or another process does it'
}
