import { noteJob, madeContext } from '../identity/admin_actor.js'
import type { HttpContext } from '@adonisjs/core/http'
import db from '@adonisjs/lucid/services/db'
import type { QueryClientContract, TransactionClientContract } from '@adonisjs/lucid/types/database'
import { responseBudgetOf } from '#crud/internals'
import { inTransaction } from '#base/database/transaction'
import type { SignedIn } from '../authentication/admin_authentication.js'
import { Owner } from '../authentication/sessions/owned_row.js'
import type AdminJob from '../models/admin_job.js'
import AdminUser from '../models/admin_user.js'
import { guardOf } from '../identity/admin_guard.js'
import { JobOwnerGone, JobFailure, JobSuperseded, JobStopped } from './job_errors.js'
import type { JobStore } from './job_store.js'

/**
 * Creates a request context for a job, with the address, user agent and session of the request that started it, and
 * with the job's owner signed in with current permissions. Code that checks users and permissions works as in a
 * request.
 *
 * @throws JobOwnerGone
 */
export async function contextOf(job: AdminJob): Promise<HttpContext> {
  const { origin } = job
  const owner = await ownerOf(job)
  const ctx = await madeContext({
    ip: origin.ip,
    headers: {
      'x-request-id': origin.requestId,
      ...(origin.userAgent !== null && { 'user-agent': origin.userAgent }),
    },
  })
  const guard = guardOf(ctx)
  const { actsAs } = origin
  const session = { id: origin.sessionId ?? undefined, sessionMetadata: { tokens: {}, actsAs } }
  guard.signedIn = { owner, acting: actsAs?.by, session } as unknown as SignedIn
  noteJob(ctx, job.id)
  return ctx
}

async function ownerOf({ userId }: AdminJob): Promise<Owner> {
  const client = db.connection(AdminUser.connection)
  const row = await client.from(AdminUser.table).where('id', userId).first()
  if (!row) throw new JobOwnerGone()
  return Owner.ofRow(row)
}

/** Outcome of a step of a job. */
export interface StepOutcome {
  /** Number of processed records; negative if the step reverts some. Default: the announced count */
  count?: number
  /** New notes of the job; replace the current ones */
  notes?: Record<string, unknown>
  /** Result of the job; ends the job with this step */
  result?: Record<string, unknown>
}

type Step = (transaction: TransactionClientContract) => Promise<StepOutcome | void>

/** The run of a job. */
export class JobRun {
  #context: HttpContext | undefined
  #isEnded = false
  readonly #begunAt = performance.now()

  constructor(
    readonly job: AdminJob,
    readonly store: JobStore,
    private readonly isStopping: () => boolean,
    private readonly minutes = Infinity
  ) {}

  /** Number of records processed by this run and earlier runs */
  get done(): number {
    return this.job.done
  }

  /** True if a step has ended the job */
  get isEnded(): boolean {
    return this.#isEnded
  }

  /**
   * Returns a context in which the owner is signed in with current permissions. Create a new one for each step, so
   * that permission changes apply.
   *
   * @throws JobOwnerGone
   */
  async context(): Promise<HttpContext> {
    this.close()
    return (this.#context = await contextOf(this.job))
  }

  /** Releases the resources of the last context. */
  close(): void {
    if (this.#context) responseBudgetOf(this.#context).release()
    this.#context = undefined
  }

  /**
   * Checks that the run is still the job's current one, and that the process is not stopping. Call it between steps.
   *
   * @throws JobStopped     if the process is stopping
   * @throws JobSuperseded  if the job was cancelled or another process has taken it over
   */
  async goOn(): Promise<void> {
    this.#goOnHere()
    const present = await this.store.find(this.job.id)
    const { run, state } = this.job
    if (present?.state !== state || present.run !== run) throw new JobSuperseded()
  }

  /**
   * Stores the progress of work that writes no records.
   *
   * @throws JobSuperseded  if the job was cancelled or another process has taken it over
   */
  async note(progress: { done: number; total?: number }): Promise<void> {
    await this.#note(progress)
    this.job.done = progress.done
    if (progress.total !== undefined) this.job.total = progress.total
  }

  /**
   * Runs a step and stores its progress in one transaction, so that the step takes effect exactly once or not at all.
   * If the step writes to another database than that of the jobs, the progress is stored before and after it.
   *
   * @param client  client of the connection that the step writes to
   * @param count   number of records in the step, or an upper limit
   */
  async step(client: QueryClientContract, count: number, work: Step): Promise<void> {
    await this.goOn()
    if (this.store.isIn(client)) {
      const outcome = await inTransaction(client, async (transaction) => {
        const found = (await work(transaction)) ?? {}
        await this.#note(this.#progressOf(found, count), transaction)
        if (found.result) await this.#end(found.result, transaction)
        return found
      })
      this.#follow(outcome, count)
      return
    }
    await this.#note({ pending: count })
    let outcome: StepOutcome
    try {
      outcome = (await inTransaction(client, work)) ?? {}
    } catch (error) {
      await this.store.noteDone(this.job, { pending: null })
      throw error
    }
    await this.store.noteDone(this.job, { ...this.#progressOf(outcome, count), pending: null })
    if (outcome.result) await this.#end(outcome.result)
    this.#follow(outcome, count)
  }

  /**
   * Like `goOn`, within the transaction of a step, which is rolled back by the error. On SQLite no other process can
   * write during the transaction, so only a stop of the process is checked.
   *
   * @throws JobStopped, JobSuperseded
   */
  async goOnWithin(client: TransactionClientContract): Promise<void> {
    this.#goOnHere()
    const isAlone = client.dialect.name.includes('sqlite') && this.store.isIn(client)
    if (!isAlone) await this.goOn()
  }

  /** Stores the progress of work without steps. */
  async reportProgress(done: number): Promise<void> {
    await this.#note({ done })
    this.job.done = done
  }

  #progressOf({ count, notes }: StepOutcome, most: number) {
    return { done: Math.max(0, this.done + (count ?? most)), ...(notes && { notes }) }
  }

  #follow(outcome: StepOutcome, most: number): void {
    const { done, notes } = this.#progressOf(outcome, most)
    this.job.done = done
    if (notes) this.job.notes = notes
    this.#isEnded = outcome.result !== undefined
  }

  async #end(result: Record<string, unknown>, client?: QueryClientContract) {
    if (!(await this.store.end(this.job, 'done', { result }, client))) throw new JobSuperseded()
  }

  #goOnHere(): void {
    if (this.isStopping()) throw new JobStopped()
    const { minutes } = this
    if (performance.now() - this.#begunAt > minutes * 60_000) {
      throw new JobFailure('jobs.errors.tooLong', { minutes })
    }
  }

  async #note(progress: Parameters<JobStore['note']>[1], client?: QueryClientContract) {
    if (!(await this.store.note(this.job, progress, client))) throw new JobSuperseded()
  }
}
