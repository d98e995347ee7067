import type { HttpContext } from '@adonisjs/core/http'
import type { QueryClientContract, TransactionClientContract } from '@adonisjs/lucid/types/database'
import { answerBudgetOf, inTransaction } from '#crud/internals'
import { JobSuperseded, JobStopped } from '../errors.js'
import type AdminJob from '../models/admin_job.js'
import { contextOf } from './job_context.js'
import type { JobStore } from './job_store.js'

/**
 * A job that is being done. [D1]
 */
export class JobRun {
  #context: HttpContext | undefined

  constructor(
    readonly job: AdminJob,
    readonly store: JobStore,
    private readonly isStopping: () => boolean
  ) {}

  /** Records that are done, by this run or an earlier one */
  get done(): number {
    return this.job.done
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
    if (this.#context) answerBudgetOf(this.#context).release()
    this.#context = undefined
  }

  /**
   * Call it between steps.
   *
   * @throws JobStopped     when the process is to end
   * @throws JobSuperseded  when the job was cancelled, or another process has taken it over
   */
  async goOn(): Promise<void> {
    if (this.isStopping()) throw new JobStopped()
    const present = await this.store.find(this.job.id)
    if (present?.state !== 'running' || present.run !== this.job.run) throw new JobSuperseded()
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
   * @param count   records of the step
   */
  async step(
    client: QueryClientContract,
    count: number,
    work: (transaction: TransactionClientContract) => Promise<void>
  ): Promise<void> {
    await this.goOn()
    const done = this.done + count
    if (this.store.isIn(client)) {
      await inTransaction(client, async (transaction) => {
        await work(transaction)
        await this.#note({ done }, transaction)
      })
    } else {
      await this.#note({ pending: count })
      try {
        await inTransaction(client, work)
      } catch (error) {
        await this.store.noteDone(this.job, { pending: null })
        throw error
      }
      await this.store.noteDone(this.job, { done, pending: null })
    }
    this.job.done = done
  }

  /**
   * As `goOn`, within the transaction of a step, whose work is lost then. On SQLite nobody can write meanwhile, so that
   * only the end of the process is looked for.
   *
   * @throws JobStopped, JobSuperseded
   */
  async goOnWithin(client: TransactionClientContract): Promise<void> {
    if (this.isStopping()) throw new JobStopped()
    const isAlone = client.dialect.name.includes('sqlite') && this.store.isIn(client)
    if (!isAlone) await this.goOn()
  }

  /** Tells how far work without steps is. */
  async tell(done: number): Promise<void> {
    await this.#note({ done })
    this.job.done = done
  }

  async #note(progress: Parameters<JobStore['note']>[1], client?: QueryClientContract) {
    if (!(await this.store.note(this.job, progress, client))) throw new JobSuperseded()
  }
}
