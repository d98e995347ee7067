import type { HttpContext } from '@adonisjs/core/http'
import app from '@adonisjs/core/services/app'
import logger from '@adonisjs/core/services/logger'
import { DateTime } from 'luxon'
import { resources, RuntimeError } from '#crud'
import { traced } from '#base/tracing'
import { toProblem } from '#base/http/send_problem'
import { adminOrigin } from '../identity/admin_actor.js'
import { JobFailure, JobStopped, JobSuperseded, TooManyJobs } from './job_errors.js'
import type AdminJob from '../models/admin_job.js'
import type { AdminConfig } from '../config/define_config.js'
import type { JobKind } from './job_kind.js'
import { JobQueue, JobTurns, LATER, siteQueue } from './job_queue.js'
import { JobRun } from './job_run.js'
import { JobStore } from './job_store.js'
import { JobWorker } from './job_worker.js'
import { inZone, presentZone, UTC } from '../time/time_zone.js'
import { guardOf } from '../identity/admin_guard.js'
import type { Site } from '../views/site.js'
import type { WithDatabase } from '../config/database_config.js'

/*
 * Number of interruptions after which a job fails: if its process was killed this often, it probably kills the next
 * one, too.
 */
const MOST_INTERRUPTIONS = 3

/* Delay in milliseconds before a job that is not allowed to start yet is tried again */
const TURN = 1000

/** Starts and runs the background jobs of the site, and stops them in an orderly manner. */
export class Jobs {
  readonly store = new JobStore()
  /** Maximum number of unfinished jobs per user */
  perUser = 20
  /** Maximum duration of a run, in minutes */
  minutes = 60
  /** Maximum number of concurrent jobs of this process */
  concurrency = 2
  /** Backend of the queue */
  queueStore: AdminConfig['jobs']['store'] = 'database'
  readonly #kinds = new Map<string, () => JobKind | Promise<JobKind>>()
  readonly #turns = new JobTurns(this.store)
  readonly #running = new Map<number, Promise<void>>()
  #queue: Promise<JobQueue> | undefined
  #worker: JobWorker | undefined
  #isStopping = false

  constructor(private readonly site: WithDatabase & Pick<Site, 'text'>) {}

  /** Returns the queue; connects to it on first use. */
  queue(): Promise<JobQueue> {
    const { adminConnection: connection } = this.site.dbConfig
    return (this.#queue ??= siteQueue(app, { store: this.queueStore, connection }).then(
      (adapter) => new JobQueue(adapter)
    ))
  }

  /**
   * Adds a kind of job.
   *
   * @param name  name of the kind
   * @param make  creates or loads the kind; called when a job of the kind is used
   * @throws RuntimeError  if another kind has the same name
   */
  register(name: string, make: () => JobKind | Promise<JobKind>): void {
    if (this.#kinds.has(name)) throw new RuntimeError(`Two kinds of jobs are called ${name}`)
    this.#kinds.set(name, make)
  }

  /**
   * Returns the kind of a job.
   *
   * @returns undefined if an earlier version of the application created the job and its kind no longer exists
   */
  async kindOf({ kind }: AdminJob): Promise<JobKind | undefined> {
    return await this.#kinds.get(kind)?.()
  }

  /**
   * Starts a job on behalf of the signed-in user.
   *
   * @param kind         name of the job's kind
   * @param job.payload  data of the job; it is stored unencrypted, so it must not contain secrets
   * @throws TooManyJobs
   */
  async start(
    ctx: HttpContext,
    kind: string,
    job: { payload: Record<string, unknown>; model?: string; total?: number }
  ): Promise<AdminJob> {
    const { owner } = guardOf(ctx).signedInOrFail()
    const { requestId, ip, userAgent, sessionId = null } = adminOrigin(ctx)
    const created = await this.store.create({
      ...job,
      kind,
      user: owner,
      origin: { requestId, ip, userAgent, sessionId, timeZone: presentZone(), actsAs: actsAs(ctx) },
    })
    try {
      /* Checked after creation, so that concurrent requests count each other's jobs. */
      await this.#refuseMany(created)
      await this.#enqueue(created.id)
    } catch (error) {
      /* Removed, as a job that was reported as failed must not run later. */
      await this.store.remove(created)
      throw error
    }
    return created
  }

  /**
   * Runs a job again, in the way that its kind supports.
   *
   * @returns the job to redirect to; null if the job can't be run again
   * @throws TooManyJobs
   */
  async again(ctx: HttpContext, job: AdminJob): Promise<AdminJob | null> {
    const kind = await this.kindOf(job)
    if (!kind || !(await this.offersAgain(job))) return null
    if (kind.again === 'whole') {
      const { payload, model } = job
      return await this.start(ctx, kind.name, { payload, model: model ?? undefined })
    }
    await this.#refuseMany(job, 1)
    if (!(await this.store.reopen(job, kind.notesOfRest(job)))) return null
    try {
      await this.#enqueue(job.id)
    } catch (error) {
      await this.store.cancel(job)
      throw error
    }
    return job
  }

  /**
   * Cancels a job. If the job must be complete or have no effect, its writes are reverted first.
   *
   * @returns false if the job has ended already
   */
  async cancel(job: AdminJob): Promise<boolean> {
    const kind = await this.kindOf(job)
    if (kind?.reverts(job) && (await this.store.cancelAndRevert(job))) {
      const present = await this.store.find(job.id)
      if (present?.run === null) await this.#enqueue(job.id)
      return true
    }
    return await this.store.cancel(job)
  }

  /** Returns true if *Again* is offered; false, for example, if it is uncertain what the job has done. */
  async offersAgain(job: AdminJob): Promise<boolean> {
    const kind = await this.kindOf(job)
    if (!kind || kind.again === null || job.pending !== null) return false
    /*
     * Not offered if records could not be reverted: these can be any of the job's records, so a run could not tell
     * where to start.
     */
    if (kind.reverts(job) && job.done > 0 && job.state !== 'done') return false
    return (
      job.state === 'failed' || job.state === 'cancelled' || (job.state === 'done' && kind.repeats)
    )
  }

  /**
   * Runs a job again that the queue redelivers because its lease has expired. If this process is still running the
   * job, the lease could not be renewed because the database was busy; then this waits for the current run.
   */
  async runAgain(id: number): Promise<void> {
    await (this.#running.get(id) ?? this.run(id, true))
  }

  /**
   * Runs a job from the queue. Stores a failure as the job's outcome instead of throwing.
   *
   * @param isRedelivered  true if the process of the previous run was killed
   */
  async run(id: number, isRedelivered: boolean): Promise<void> {
    const run = this.#run(id, isRedelivered).finally(() => {
      if (this.#running.get(id) === run) this.#running.delete(id)
    })
    if (!this.#running.has(id)) this.#running.set(id, run)
    await run
  }

  /** Allows jobs to run again after `stop`. */
  resume(): void {
    this.#isStopping = false
  }

  /** Starts the worker of this process. */
  async work(): Promise<void> {
    this.resume()
    this.#worker = new JobWorker(await this.queue(), this.concurrency, (job) =>
      job.isRedelivered ? this.runAgain(job.id) : this.run(job.id, false)
    )
    /* Enqueues lost jobs: a process may have stopped after storing a job and before adding it to the queue. */
    try {
      const lost = await this.store.waitingSince(DateTime.utc().minus({ minutes: 1 }))
      for (const id of lost) await this.#enqueue(id)
    } catch (error) {
      logger.error({ err: error }, 'Jobs that wait could not be looked for')
    }
  }

  /** Stops the worker: waits for the current step of each job and puts the rest back into the queue. */
  async stop(): Promise<void> {
    this.#isStopping = true
    const worker = this.#worker
    this.#worker = undefined
    await worker?.stop()
    await Promise.allSettled(this.#running.values())
  }

  async #refuseMany({ userId }: AdminJob, more = 0): Promise<void> {
    const { perUser } = this
    const count = (await this.store.unfinishedOf(userId)) + more
    if (count > perUser) throw new TooManyJobs(perUser)
  }

  async #enqueue(id: number) {
    const queue = await this.queue()
    await queue.push(id, await this.#priorityOf(id))
    this.#worker?.wake()
  }

  /** Adds a job to the queue again after a delay, for this process or another one. */
  async #enqueueLater(id: number) {
    const queue = await this.queue()
    await queue.push(id, await this.#priorityOf(id), TURN)
    setTimeout(() => this.#worker?.wake(), TURN + 100).unref()
  }

  async #priorityOf(id: number): Promise<number> {
    const job = await this.store.find(id)
    return job ? this.#turns.priorityOf(job, await this.store.unfinishedOf(job.userId)) : 1
  }

  async #run(id: number, isRedelivered: boolean) {
    /* In a worker that is not a web server, the tables are not loaded yet. */
    await resources.load()
    const job = await this.#turns.begin(id, isRedelivered, this.concurrency)
    if (job === LATER) return await this.#enqueueLater(id)
    if (!job) return
    const run = new JobRun(job, this.store, () => this.#isStopping, this.minutes)
    try {
      if (job.state === 'running') await this.#perform(run)
      if (job.state === 'reverting') await this.#revert(run)
    } finally {
      this.#turns.end(id)
      run.close()
    }
  }

  async #perform(run: JobRun) {
    const { job } = run
    const kind = await this.kindOf(job)
    try {
      if (!kind) throw new JobFailure('jobs.errors.unknownKind')
      if (job.pending !== null)
        throw new JobFailure('jobs.errors.uncertain', { count: job.pending })
      if (job.interruptions >= MOST_INTERRUPTIONS) throw new JobFailure('jobs.errors.killed')
      const result = (await inZone(job.origin.timeZone ?? UTC, () => performed(kind, run))) ?? {}
      if (run.isEnded || (await this.store.end(job, 'done', { result }))) await kind.cleanUp(job)
    } catch (error) {
      await this.#endWith(job, error)
    }
  }

  async #endWith(job: AdminJob, error: unknown) {
    if (error instanceof JobSuperseded) return await this.#followCancel(job)
    if (error instanceof JobStopped) {
      if (await this.store.release(job)) await this.#enqueue(job.id)
      return
    }
    const message = this.#errorOf(job, error)
    const kind = await this.kindOf(job)
    if (job.done > 0 && kind?.reverts(job)) {
      if (await this.store.revert(job, message)) job.merge({ state: 'reverting', error: message })
      else await this.#followCancel(job)
    } else await this.store.end(job, 'failed', { error: message })
  }

  /** Checks whether the job was cancelled in the meantime, so that this run reverts its writes. */
  async #followCancel(job: AdminJob) {
    const present = await this.store.find(job.id)
    if (present?.state === 'reverting' && present.run === job.run) {
      job.merge({ state: present.state, error: present.error })
    }
  }

  async #revert(run: JobRun) {
    const { job } = run
    const kind = await this.kindOf(job)
    const state = job.error === null ? 'cancelled' : 'failed'
    try {
      if (!kind) throw new JobFailure('jobs.errors.unknownKind')
      if (job.interruptions >= 2 * MOST_INTERRUPTIONS) throw new JobFailure('jobs.errors.killed')
      const left = await inZone(job.origin.timeZone ?? UTC, () => kind.revert(run))
      const outcome = left ?? this.site.text('jobs.reverted', { done: job.done })
      const error = job.error === null ? outcome : `${job.error} ${outcome}`
      await this.store.end(job, state, { error })
      await kind.cleanUp(job)
    } catch (error) {
      if (error instanceof JobSuperseded) return
      if (error instanceof JobStopped) return await this.#endWith(job, error)
      const reason = this.#errorOf(job, error)
      const reasons = [job.error, this.site.text('jobs.notReverted', { reason })]
      await this.store.end(job, 'failed', { error: reasons.filter(Boolean).join(' ') })
    }
  }

  #errorOf(job: AdminJob, error: unknown): string {
    if (error instanceof JobFailure) return this.site.text(error.key, error.data)
    const problem = toProblem(error)
    if (problem.status >= 500) logger.error({ err: error, job: job.id }, 'A job has failed')
    return problem.message
  }
}

/** Runs a job in a span. */
async function performed(kind: JobKind, run: JobRun) {
  const attributes = { 'atrium.job': run.job.id, 'atrium.job.kind': kind.name }
  return await traced(`job ${kind.name}`, attributes, async () => await kind.perform(run))
}

function actsAs(ctx: HttpContext) {
  return guardOf(ctx).signedIn?.session.sessionMetadata?.actsAs
}

export interface WithJobs {
  readonly jobs: Jobs
}
