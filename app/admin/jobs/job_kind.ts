import type AdminJob from '../models/admin_job.js'
import type { JobRun } from './job_run.js'

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

  /** The job in words, as in `Delete 2,500 films` */
  abstract titleOf(job: AdminJob): string

  /**
   * Does the job, or the rest of it after an interruption: `run.done` says how far it is. Each step is
   * written by `run.step`, so that nothing is done twice.
   *
   * @returns what the job's page shows, as in `{ message: '2,500 films deleted' }`
   * @throws  any error; what was done before stays
   */
  abstract perform(run: JobRun): Promise<Record<string, unknown>>

  /** Removes what is of use to an unfinished job only. It may be called twice. */
  async cleanUp(_job: AdminJob): Promise<void> {}
}
