import type { Readable } from 'node:stream'
import type { HttpContext } from '@adonisjs/core/http'
import type { DateTime } from 'luxon'
import type AdminJob from '../models/admin_job.js'
import type { JobRun } from './job_run.js'

/**
 * A number of a job's outcome, with its name.
 */
export interface JobFigure {
  label: string
  count: number
  /** As `negative` for what went wrong. Default: neutral */
  tone?: 'positive' | 'negative'
}

/**
 * A place to go on from a job's page.
 */
export interface JobLink {
  label: string
  /** From the root of the server */
  url: string
}

/**
 * A file that a job has made, for its owner alone.
 */
export interface JobFile {
  name: string
  /** Size */
  bytes: number
  /** When it is removed */
  until: DateTime
  isGone: boolean
  /** @returns undefined if it is not there */
  open(): Promise<{ size: number; stream: Readable } | undefined>
}

/**
 * A kind of background work, such as a bulk task. The site registers each kind once, in every
 * process that may run it. [D1]
 */
export abstract class JobKind {
  /** As in `bulk`; stored with each job */
  abstract readonly name: string

  /**
   * The effect of *Again* on a job that has failed or was cancelled: the rest of it, or all of it as a new
   * job. Null: it is not offered
   */
  abstract readonly again: 'rest' | 'whole' | null

  /** True if *Again* is offered for a job that is done, too: it changes nothing */
  readonly repeats: boolean = false

  /** The job in words, as in `Delete 2,500 films` */
  abstract titleOf(job: AdminJob): string

  /**
   * Does the job, or the rest of it after an interruption: `run.done` says how far it is. Each step is
   * written by `run.step`, so that nothing is done twice.
   *
   * @returns what the job's page shows, as in `{ message: '2,500 films deleted' }`; a job that writes records returns it
   *   from its last step, which ends the job in the same transaction
   * @throws  any error; what was done before stays
   */
  abstract perform(run: JobRun): Promise<Record<string, unknown> | void>

  /** The notes with which *Do the rest* goes on. Default: none, as its writes are events of their own */
  notesOfRest(_job: AdminJob): AdminJob['notes'] {
    return null
  }

  /**
   * True if what an unfinished job has written is reverted when it fails or is cancelled: it is all or nothing, and
   * written in several transactions. Default: what was done before stays
   */
  reverts(_job: AdminJob): boolean {
    return false
  }

  /**
   * Reverts what the job has written, or the rest of it after an interruption.
   *
   * @returns which records could not be reverted, in words; null if nothing is left
   */
  async revert(_run: JobRun): Promise<string | null> {
    return null
  }

  /** The outcome in numbers, of a job that has ended. Default: none */
  figuresOf(_job: AdminJob): JobFigure[] {
    return []
  }

  /**
   * Advice about a job that has failed or was cancelled, in words.
   *
   * @returns null for what holds for every kind
   */
  adviceOf(_job: AdminJob): string | null {
    return null
  }

  /**
   * The effect of *Cancel* on what is done already, in words.
   *
   * @returns null for what holds for every kind: it stays done
   */
  cancelNoteOf(_job: AdminJob): string | null {
    return null
  }

  /** Where to go on, once the job has ended. Default: nowhere */
  linksOf(_job: AdminJob): JobLink[] {
    return []
  }

  /** The file that it has made, if it makes one. */
  fileOf(_job: AdminJob): JobFile | null {
    return null
  }

  /** True if its owner, who asks, may still have that file. */
  async mayFetch(_ctx: HttpContext, _job: AdminJob): Promise<boolean> {
    return false
  }

  /** False if its owner could not make the same file now, as they have lost permissions since. */
  async isFileAllowed(_ctx: HttpContext, _job: AdminJob): Promise<boolean> {
    return true
  }

  /** Removes what is of use to an unfinished job only. It may be called twice. */
  async cleanUp(_job: AdminJob): Promise<void> {}
}
