import type { Readable } from 'node:stream'
import type { HttpContext } from '@adonisjs/core/http'
import type { DateTime } from 'luxon'
import type AdminJob from '../models/admin_job.js'
import type { JobRun } from './job_run.js'

/** A labelled number in the result of a job. */
export interface JobFigure {
  label: string
  count: number
  /** `negative` for errors. Default: neutral */
  tone?: 'positive' | 'negative'
}

/** A link on the page of an ended job. */
export interface JobLink {
  label: string
  /** URL path, without the host */
  url: string
}

/** A file that a job has created; only the job's owner can download it. */
export interface JobFile {
  name: string
  bytes: number
  /** Time at which the file is removed */
  until: DateTime
  isGone: boolean
  /** @returns undefined if the file does not exist */
  open(): Promise<{ size: number; stream: Readable } | undefined>
}

/**
 * A kind of background job, such as a bulk task. The site registers each kind once, in every process that can run it.
 */
export abstract class JobKind {
  /** Name such as `bulk`; stored with each job */
  abstract readonly name: string

  /**
   * What *Again* does for a failed or cancelled job: run the rest, or run everything as a new job. Null: *Again* is
   * not offered
   */
  abstract readonly again: 'rest' | 'whole' | null

  /** True if *Again* is also offered for a completed job, as the job changes no data */
  readonly repeats: boolean = false

  /** Title of the job, such as `Delete 2,500 films` */
  abstract titleOf(job: AdminJob): string

  /**
   * Runs the job, or the rest of it after an interruption; `run.done` is the progress so far. Each step must be
   * written by `run.step`, so that no step runs twice.
   *
   * @returns result for the job's page, such as `{ message: '2,500 films deleted' }`; a job that writes records
   *   returns it from its last step instead, which ends the job in the same transaction
   * @throws  any error; completed steps stay, unless `reverts` returns true
   */
  abstract perform(run: JobRun): Promise<Record<string, unknown> | void>

  /**
   * Notes that the job starts with when *Do the rest* is used. Default: none, as the writes of each run are separate
   * events
   */
  notesOfRest(_job: AdminJob): AdminJob['notes'] {
    return null
  }

  /**
   * Returns true if the writes of an unfinished job are reverted when it fails or is cancelled. For a job that must
   * be complete or have no effect, but writes in several transactions. Default: completed steps stay
   */
  reverts(_job: AdminJob): boolean {
    return false
  }

  /**
   * Reverts the writes of the job, or the rest of them after an interruption.
   *
   * @returns message that lists the records that could not be reverted; null if all were
   */
  async revert(_run: JobRun): Promise<string | null> {
    return null
  }

  /** Numbers in the result of an ended job. Default: none */
  figuresOf(_job: AdminJob): JobFigure[] {
    return []
  }

  /**
   * Returns advice for the page of a failed or cancelled job.
   *
   * @returns null for the default advice
   */
  adviceOf(_job: AdminJob): string | null {
    return null
  }

  /**
   * Returns a text about what *Cancel* does to completed steps.
   *
   * @returns null for the default: completed steps stay
   */
  cancelNoteOf(_job: AdminJob): string | null {
    return null
  }

  /** Links on the page of an ended job. Default: none */
  linksOf(_job: AdminJob): JobLink[] {
    return []
  }

  /** Returns the file that the job has created, or null. */
  fileOf(_job: AdminJob): JobFile | null {
    return null
  }

  /** Returns true if the job's owner, who sends the request, is still allowed to download the file. */
  async mayFetch(_ctx: HttpContext, _job: AdminJob): Promise<boolean> {
    return false
  }

  /** Returns false if the job's owner has lost permissions that creating the same file would need. */
  async isFileAllowed(_ctx: HttpContext, _job: AdminJob): Promise<boolean> {
    return true
  }

  /** Removes data that only an unfinished job needs. Can be called twice. */
  async cleanUp(_job: AdminJob): Promise<void> {}
}
