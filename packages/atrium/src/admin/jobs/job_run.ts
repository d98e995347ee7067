import { noteJob } from '../identity/job_context.js'
import type { HttpContext } from '@adonisjs/core/http'
import db from '@adonisjs/lucid/services/db'
import type { QueryClientContract, TransactionClientContract } from '@adonisjs/lucid/types/database'
import { responseBudgetOf } from '#crud/internals'
import { inTransaction } from '#base/database/transaction'
import type { SignedIn } from '../authentication/admin_authentication.js'
import { Owner } from '../authentication/sessions/owned_row.js'
import { madeContext } from '../identity/operator.js'
import type AdminJob from '../models/admin_job.js'
import AdminUser from '../models/admin_user.js'
import { guardOf } from '../identity/admin_guard.js'
import { JobOwnerGone, JobFailure, JobSuperseded, JobStopped } from './job_errors.js'
import type { JobStore } from './job_store.js'

/**
 * A context for a job, which repeats the request that started it: its address, user agent and session,
 * with the job's owner signed in as they are now. All that asks a context who someone is and what they
 * may do decides as it does for a request. [D1, U4]
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

/** What a step has done. */
export interface StepOutcome {
  /** Records of the step; less than none where it reverts some. Default: as announced */
  count?: number
  /** Replace those of the job */
  notes?: Record<string, unknown>
  /** Of the job, which ends with this step */
  result?: Record<string, unknown>
}

type Step = (transaction: TransactionClientContract) => Promise<StepOutcome | void>

/**
 * A job that is being done. [D1]
 */
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

  /** Records that are done, by this run or an earlier one */
  get done(): number {
    return this.job.done
  }

  /** True if a step has ended the job */
  get isEnded(): boolean {
    return this.#isEnded
  }

  /**
   * A context in which the owner is signed in, with the permissions that they have now. Get a new one for
   * each step.
   *
   * @throws JobOwnerGone
   */
  async context(): Promise<HttpContext> {
    this.close()
    return (this.#context = await contextOf(this.job))
  }

  /** Frees what the last context has reserved. */
  close(): void {
    if (this.#context) responseBudgetOf(this.#context).release()
    this.#context = undefined
  }

  /**
   * Call it between steps.
   *
   * @throws JobStopped     when the process is to end
   * @throws JobSuperseded  when the job was cancelled, or another process has taken it over
   */
  async goOn(): Promise<void> {
    this.#goOnHere()
    const present = await this.store.find(this.job.id)
    const { run, state } = this.job
    if (present?.state !== state || present.run !== run) throw new JobSuperseded()
  }

  /**
   * Notes how far it is, for work that writes nothing but a result.
   *
   * @throws JobSuperseded  when the job was cancelled, or another process has taken it over
   */
  async note(progress: { done: number; total?: number }): Promise<void> {
    await this.#note(progress)
    this.job.done = progress.done
    if (progress.total !== undefined) this.job.total = progress.total
  }

  /**
   * Does a step in one transaction, which the progress is part of: it is done once, or not at all. In
   * another database than that of the jobs, it is noted before and afterwards.
   *
   * @param client  of the connection that the step writes
   * @param count   records of the step, or the most of them
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
   * As `goOn`, within the transaction of a step, whose work is lost then. On SQLite no one else can write before its end, so that
   * only the end of the process is looked for.
   *
   * @throws JobStopped, JobSuperseded
   */
  async goOnWithin(client: TransactionClientContract): Promise<void> {
    this.#goOnHere()
    const isAlone = client.dialect.name.includes('sqlite') && this.store.isIn(client)
    if (!isAlone) await this.goOn()
  }

  /** Tells how far work without steps is. */
  async tell(done: number): Promise<void> {
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
