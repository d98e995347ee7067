import type { HttpContext } from '@adonisjs/core/http'
import app from '@adonisjs/core/services/app'
import logger from '@adonisjs/core/services/logger'
import { DateTime } from 'luxon'
import { resources, RuntimeError } from '#crud'
import { toProblem } from '#base/http/to_problem'
import { adminOrigin } from '../identity/admin_actor.js'
import { BulkFailure } from '../bulk/errors.js'
import { ExportRefused } from '../export/errors.js'
import { JobFailure, JobStopped, JobSuperseded, TooManyJobs } from './job_errors.js'
import type AdminJob from '../models/admin_job.js'
import type { DatabaseConfig } from '../config/database_config.js'
import type { AdminConfig } from '../config/define_config.js'
import { siteQueue } from '../services/site_redis.js'
import type { JobKind } from './job_kind.js'
import { JobQueue, JobTurns, LATER } from './job_queue.js'
import { JobRun } from './job_run.js'
import { JobStore } from './job_store.js'
import { JobWorker } from './job_worker.js'
import { inZone, presentZone, UTC } from '../time/time_zone.js'
import { guardOf } from '../identity/admin_guard.js'

/* A job whose process was killed this often would end the next one, too. */
const MOST_INTERRUPTIONS = 3

/* Milliseconds after which a job that has to wait for its turn is looked at again */
const TURN = 1000

/**
 * The background jobs of the site: starts them, runs those that the queue hands over, and ends in order.
 * [D1]
 */
export class Jobs {
  readonly store = new JobStore()
  /** Maximum jobs of a user that have not ended */
  perUser = 20
  /** Maximum duration of a run */
  minutes = 60
  /** Jobs that this process runs at a time */
  concurrency = 2
  /** Where jobs wait */
  queueStore: AdminConfig['jobs']['store'] = 'database'
  readonly #kinds = new Map<string, () => JobKind | Promise<JobKind>>()
  readonly #turns = new JobTurns(this.store)
  readonly #running = new Map<number, Promise<void>>()
  #queue: Promise<JobQueue> | undefined
  #worker: JobWorker | undefined
  #isStopping = false

  constructor(
    private readonly site: {
      readonly dbConfig: DatabaseConfig
      text(key: string, data?: Record<string, unknown>): string
    }
  ) {}

  /** The queue, which is connected with on first use. */
  queue(): Promise<JobQueue> {
    const { adminConnection: connection } = this.site.dbConfig
    return (this.#queue ??= siteQueue(app, { store: this.queueStore, connection }).then(
      (adapter) => new JobQueue(adapter)
    ))
  }

  /**
   * Adds a kind of job.
   *
   * @param name  of the kind
   * @param make  makes it, or loads it, for the first job of the kind
   * @throws RuntimeError  when another has its name
   */
  register(name: string, make: () => JobKind | Promise<JobKind>): void {
    if (this.#kinds.has(name)) throw new RuntimeError(`Two kinds of jobs are called ${name}`)
    this.#kinds.set(name, make)
  }

  /**
   * @returns undefined for a job of an earlier version of the application
   */
  async kindOf({ kind }: AdminJob): Promise<JobKind | undefined> {
    return await this.#kinds.get(kind)?.()
  }

  /**
   * Starts a job in the name of the signed-in user.
   *
   * @param kind         name of its kind
   * @param job.payload  without secrets: it is stored as it is
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
      /* Requests at the same time count each other. */
      await this.#refuseMany(created)
      await this.#enqueue(created.id)
    } catch (error) {
      /* A job that was reported as failed must not be done later. */
      await this.store.remove(created)
      throw error
    }
    return created
  }

  /**
   * Does what *Again* offers for a job.
   *
   * @returns the job to look at; null if there is nothing to do again
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
   * Cancels a job. Where it is all or nothing and has written a part, that is reverted first.
   *
   * @returns false if it had ended
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

  /** True if *Again* makes sense: not where it is uncertain what was done. */
  async offersAgain(job: AdminJob): Promise<boolean> {
    const kind = await this.kindOf(job)
    if (!kind || kind.again === null || job.pending !== null) return false
    /* Records that could not be reverted are not the first ones: a run would not know where to begin. */
    if (kind.reverts(job) && job.done > 0 && job.state !== 'done') return false
    return (
      job.state === 'failed' || job.state === 'cancelled' || (job.state === 'done' && kind.repeats)
    )
  }

  /**
   * Runs a job that the queue hands over again because its lease has ended. If this process is at it, the lease could
   * not be renewed while the database was busy: the run goes on, and is waited for.
   */
  async runAgain(id: number): Promise<void> {
    await (this.#running.get(id) ?? this.run(id, true))
  }

  /**
   * Runs a job that the queue hands over. Its failure is its outcome, and not thrown.
   *
   * @param isRedelivered  true if the process that ran it was killed
   */
  async run(id: number, isRedelivered: boolean): Promise<void> {
    const run = this.#run(id, isRedelivered).finally(() => {
      if (this.#running.get(id) === run) this.#running.delete(id)
    })
    if (!this.#running.has(id)) this.#running.set(id, run)
    await run
  }

  /** Runs jobs again after `stop`. */
  resume(): void {
    this.#isStopping = false
  }

  /** Has this process work on the queue. */
  async work(): Promise<void> {
    this.resume()
    this.#worker = new JobWorker(await this.queue(), this.concurrency, (job) =>
      job.isRedelivered ? this.runAgain(job.id) : this.run(job.id, false)
    )
    /* A process may have ended between writing a job and handing it to the queue. */
    try {
      const lost = await this.store.waitingSince(DateTime.utc().minus({ minutes: 1 }))
      for (const id of lost) await this.#enqueue(id)
    } catch (error) {
      logger.error({ err: error }, 'Jobs that wait could not be looked for')
    }
  }

  /**
   * Ends in order: a step that is under way is finished, and the rest goes back into the queue.
   */
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

  /** Hands a job to the queue again, for this process or another one. */
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
    /* A worker that is not a server has not looked at the tables yet. */
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
      const result = (await inZone(job.origin.timeZone ?? UTC, () => kind.perform(run))) ?? {}
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
    const fault = this.#errorOf(job, error)
    const kind = await this.kindOf(job)
    if (job.done > 0 && kind?.reverts(job)) {
      if (await this.store.revert(job, fault)) job.merge({ state: 'reverting', fault })
      else await this.#followCancel(job)
    } else await this.store.end(job, 'failed', { fault })
  }

  /** The run that a job was cancelled in reverts what it has written. */
  async #followCancel(job: AdminJob) {
    const present = await this.store.find(job.id)
    if (present?.state === 'reverting' && present.run === job.run) {
      job.merge({ state: present.state, fault: present.fault })
    }
  }

  async #revert(run: JobRun) {
    const { job } = run
    const kind = await this.kindOf(job)
    const state = job.fault === null ? 'cancelled' : 'failed'
    try {
      if (!kind) throw new JobFailure('jobs.errors.unknownKind')
      if (job.interruptions >= 2 * MOST_INTERRUPTIONS) throw new JobFailure('jobs.errors.killed')
      const left = await inZone(job.origin.timeZone ?? UTC, () => kind.revert(run))
      const outcome = left ?? this.site.text('jobs.reverted', { done: job.done })
      const fault = job.fault === null ? outcome : `${job.fault} ${outcome}`
      await this.store.end(job, state, { fault })
      await kind.cleanUp(job)
    } catch (error) {
      if (error instanceof JobSuperseded) return
      if (error instanceof JobStopped) return await this.#endWith(job, error)
      const reason = this.#errorOf(job, error)
      const fault = [job.fault, this.site.text('jobs.notReverted', { reason })]
      await this.store.end(job, 'failed', { fault: fault.filter(Boolean).join(' ') })
    }
  }

  #errorOf(job: AdminJob, error: unknown): string {
    if (
      error instanceof JobFailure ||
      error instanceof BulkFailure ||
      error instanceof ExportRefused
    ) {
      return this.site.text(error.key, error.data)
    }
    const problem = toProblem(error)
    if (problem.status >= 500) logger.error({ err: error, job: job.id }, 'A job has failed')
    return problem.message
  }
}

function actsAs(ctx: HttpContext) {
  return guardOf(ctx).signedIn?.session.sessionMetadata?.actsAs
}
