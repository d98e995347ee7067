import { Exception } from '@adonisjs/core/exceptions'
import { PageError } from '../text/errors.js'

/** The user has reached the maximum number of unfinished jobs. */
export class TooManyJobs extends PageError {
  static status = 429
  static code = 'E_TOO_MANY_JOBS'
  readonly textKey = 'jobs.tooMany'

  override readonly textData: { most: number }

  /** @param most  maximum number of unfinished jobs */
  constructor(most: number) {
    super('Too many jobs of the user have not ended')
    this.textData = { most }
  }
}

/** A job failed. The message of the catalogue is shown on its page. */
export class JobFailure extends Exception {
  static code = 'E_JOB'

  /**
   * @param key  key of the message in the catalogue
   */
  constructor(
    readonly key: string,
    readonly data: Record<string, unknown> = {},
    options?: ErrorOptions & { status?: number; code?: string }
  ) {
    super(key, options)
  }
}

/** A file can't be read as a table, can't be read beyond some line, or can't be written. */
export class FileError extends JobFailure {
  static status = 422
  static code = 'E_FILE_FAULT'

  /**
   * @param key   key of the message in the catalogue, below `sheets.errors`
   * @param data  data of the message; `at` is the line of the file if it differs from `line`
   * @param line  line as in `FileRow`, added to `data`; null for an error of the file as a whole
   */
  constructor(
    key: string,
    data: Record<string, unknown> = {},
    readonly line: number | null = null
  ) {
    super(key, line === null ? data : { at: line, ...data, line })
  }
}

/** A file exceeds the maximum number of bytes or rows. */
export class ReadingLimit extends FileError {}

/** The user with whose permissions a job runs was deleted. */
export class JobOwnerGone extends JobFailure {
  constructor() {
    super('jobs.errors.ownerGone')
  }
}

/** The process that runs a job is stopping; the next process continues the job. */
export class JobStopped extends Exception {
  static code = 'E_JOB_STOPPED'
  static message = 'The process is about to end'
}

/** The run is no longer the job's current one, because the job was cancelled or another process took it over. */
export class JobSuperseded extends Exception {
  static code = 'E_JOB_SUPERSEDED'
  static message = 'The job was cancelled, or another process does it'
}
