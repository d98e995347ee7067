import { randomUUID } from 'node:crypto'
import db from '@adonisjs/lucid/services/db'
import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import { DateTime } from 'luxon'
import { dialectOf } from '#base/database/dialects'
import { inUtc } from '#base/values/datetime'
import { readersOf } from '#base/database/sqlite/sqlite_connection'
import AdminJob, { type JobOrigin, type JobState } from '../models/admin_job.js'
import { ROWS_PER_WRITE } from '#base/chunks'

const UNFINISHED: readonly JobState[] = ['queued', 'running', 'reverting']

interface NewJob {
  kind: string
  user: { id: number; username: string }
  model?: string
  total?: number
  payload: Record<string, unknown>
  origin: JobOrigin
}

interface Progress {
  done?: number
  total?: number
  pending?: number | null
  notes?: Record<string, unknown>
}

interface JobOutcome {
  result?: Record<string, unknown>
  error?: string | null
}

/**
 * Reads and writes the table of jobs. A run can write only while it is the job's current one, so a process that was
 * considered dead, or whose job was cancelled, has no further effect. Every change of a job's state is a method here, so
 * that no other file has a statement that could skip this condition.
 */
export class JobStore {
  client(): QueryClientContract {
    return db.connection(AdminJob.connection)
  }

  /** Returns a client for pages, which does not wait while a job holds SQLite's writer. */
  reading(): QueryClientContract {
    return readersOf(this.client()) ?? this.client()
  }

  /** Returns true if the progress can be stored in a transaction of the client. */
  isIn(client: QueryClientContract): boolean {
    return client.connectionName === this.client().connectionName
  }

  async create({ kind, user, model, total, payload, origin }: NewJob): Promise<AdminJob> {
    const client = this.client()
    const id = await dialectOf(client).insertRow(client, AdminJob.table, {
      kind,
      user_id: user.id,
      username: user.username,
      model: model ?? null,
      state: 'queued',
      done: 0,
      total: total ?? null,
      payload: JSON.stringify(payload),
      origin: JSON.stringify(origin),
      interruptions: 0,
      created_at: now(),
    })
    return (await this.find(Number(id)))!
  }

  async find(id: number): Promise<AdminJob | null> {
    return await AdminJob.query({ client: this.reading() }).where('id', id).first()
  }

  /**
   * Starts a run.
   *
   * @param isRedelivered  true if the process of the previous run was killed: a running job is continued
   * @returns null if there is nothing to run
   */
  async begin(id: number, isRedelivered: boolean): Promise<AdminJob | null> {
    const run = randomUUID()
    if (!(await this.#take(id, run, isRedelivered))) return null
    const job = (await this.find(id))!
    const startedAt = job.startedAt ? inUtc(job.startedAt) : now()
    const interruptions = job.interruptions + (isRedelivered ? 1 : 0)
    await this.#of(job, run).update({ started_at: startedAt, interruptions })
    return await this.find(id)
  }

  /** Assigns the job to a run. The state `reverting` is preserved. */
  async #take(id: number, run: string, isRedelivered: boolean): Promise<boolean> {
    const job = () => this.client().from(AdminJob.table).where('id', id)
    const reverting = job().where('state', 'reverting')
    if (!isRedelivered) reverting.whereNull('run')
    if (await changed(reverting.update({ run }))) return true
    const waiting = job().whereIn('state', isRedelivered ? ['queued', 'running'] : ['queued'])
    return await changed(waiting.update({ state: 'running', run }))
  }

  /**
   * Writes the progress of a run.
   *
   * @param client  client of the transaction that the write is part of
   * @returns false if the run is no longer the job's current one
   */
  async note(
    job: AdminJob,
    progress: Progress,
    client: QueryClientContract = this.client()
  ): Promise<boolean> {
    const mine = this.#of(job, job.run!, client).where('state', job.state)
    return await changed(mine.update(valuesOf(progress)))
  }

  /** Stores the progress of a step that is already committed, even if the job was cancelled in the meantime. */
  async noteDone(job: AdminJob, progress: Progress): Promise<void> {
    await this.#of(job, job.run!).update(valuesOf(progress))
  }

  /**
   * Puts the job of a stopping process back into the queue. Returns false if the run is no longer the job's current
   * one.
   */
  async release(job: AdminJob): Promise<boolean> {
    const state = job.state === 'reverting' ? 'reverting' : 'queued'
    const query = this.#of(job, job.run!).where('state', job.state)
    return await changed(query.update({ state, run: null }))
  }

  /**
   * Marks the job to be reverted by the current run. Returns false if the run is no longer the job's current one.
   *
   * @param reason  error message; null if the job was cancelled
   */
  async revert(job: AdminJob, reason: string | null): Promise<boolean> {
    const query = this.#of(job, job.run!).where('state', 'running')
    return await changed(query.update({ state: 'reverting', fault: reason }))
  }

  /**
   * Cancels a job whose writes must be reverted: by the current run, or by the next one if the job is queued.
   *
   * @returns false if the job has ended or has not started
   */
  async cancelAndRevert({ id }: AdminJob): Promise<boolean> {
    const query = this.client().from(AdminJob.table).where('id', id)
    query.where((begun) => {
      begun.where('state', 'running').orWhere((waiting) => {
        waiting.where('state', 'queued').where('done', '>', 0)
      })
    })
    return await changed(query.update({ state: 'reverting', fault: null }))
  }

  /**
   * Ends a run. Returns false if the run is no longer the job's current one.
   *
   * @param client  client of the transaction that contains the run's last writes
   */
  async end(
    job: AdminJob,
    state: 'done' | 'failed' | 'cancelled',
    outcome: JobOutcome = {},
    client: QueryClientContract = this.client()
  ): Promise<boolean> {
    const query = this.#of(job, job.run!, client).where('state', job.state)
    return await changed(
      query.update({
        state,
        run: null,
        result: outcome.result ? JSON.stringify(outcome.result) : null,
        fault: outcome.error ?? null,
        ended_at: now(),
      })
    )
  }

  /**
   * Cancels a job that has not ended. A step in progress is rolled back.
   *
   * @returns false if the job has ended already
   */
  async cancel(job: AdminJob): Promise<boolean> {
    const query = this.client().from(AdminJob.table).where('id', job.id)
    return await changed(
      query.whereIn('state', ['queued', 'running']).update({ state: 'cancelled', ended_at: now() })
    )
  }

  /**
   * Puts an ended job back into the queue to run the rest of it.
   *
   * @param notes  notes that the job starts with
   * @returns false if the job has not ended or has completed
   */
  async reopen(job: AdminJob, notes: AdminJob['notes']): Promise<boolean> {
    const query = this.client().from(AdminJob.table).where('id', job.id)
    const values = {
      state: 'queued',
      run: null,
      fault: null,
      notes: notes && JSON.stringify(notes),
      ended_at: null,
      interruptions: 0,
    }
    return await changed(query.whereIn('state', ['failed', 'cancelled']).update(values))
  }

  async remove({ id }: AdminJob): Promise<void> {
    await this.client().from(AdminJob.table).where('id', id).delete()
  }

  /** Counts a user's jobs that have not ended. */
  async unfinishedOf(userId: number): Promise<number> {
    const [row] = await this.client()
      .from(AdminJob.table)
      .where('user_id', userId)
      .whereIn('state', [...UNFINISHED])
      .count('* as total')
    return Number(row.total)
  }

  /** Returns the numbers of jobs by state; states without jobs are left out. */
  async countByState(): Promise<Partial<Record<JobState, number>>> {
    const rows = await this.reading()
      .from(AdminJob.table)
      .select('state')
      .groupBy('state')
      .count('* as total')
    return Object.fromEntries(rows.map(({ state, total }) => [state, Number(total)]))
  }

  /** Returns a user's running jobs, in all processes. */
  async runningOf(userId: number): Promise<AdminJob[]> {
    return await AdminJob.query({ client: this.reading() }).where({ userId, state: 'running' })
  }

  /** Returns a user's jobs of a kind that completed since a time, the newest first. */
  async doneSince(userId: number, kind: string, since: DateTime): Promise<AdminJob[]> {
    return await AdminJob.query({ client: this.client() })
      .where({ userId, kind, state: 'done' })
      .where('endedAt', '>=', inUtc(since))
      .orderBy('id', 'desc')
  }

  /** Replaces the result of a completed job. */
  async changeResult({ id }: AdminJob, result: Record<string, unknown>): Promise<void> {
    const query = this.client().from(AdminJob.table).where({ id, state: 'done' })
    await query.update({ result: JSON.stringify(result) })
  }

  /** Returns the ids of jobs that were created before a time and still wait. */
  async waitingSince(before: DateTime): Promise<number[]> {
    const rows = await this.client()
      .from(AdminJob.table)
      .whereIn('state', ['queued', 'reverting'])
      .whereNull('run')
      .where('created_at', '<', inUtc(before))
      .select('id')
    return rows.map(({ id }) => id)
  }

  /**
   * Removes jobs that ended more than the given number of days ago.
   *
   * @returns the number of removed jobs
   */
  async prune(days: number): Promise<number> {
    const oldest = inUtc(DateTime.utc().minus({ days }))
    let removed = 0
    for (;;) {
      const client = this.client()
      const rows = await client
        .from(AdminJob.table)
        .whereNotIn('state', [...UNFINISHED])
        .where('ended_at', '<', oldest)
        .select('id')
        .limit(ROWS_PER_WRITE)
      const ids = rows.map(({ id }) => id)
      if (ids.length > 0) await client.from(AdminJob.table).whereIn('id', ids).delete()
      removed += ids.length
      if (ids.length < ROWS_PER_WRITE) return removed
    }
  }

  #of({ id }: AdminJob, run: string, client: QueryClientContract = this.client()) {
    return client.from(AdminJob.table).where({ id, run })
  }
}

/** Returns true if an update changed a row. Some drivers return the count in an array. */
async function changed(update: PromiseLike<unknown>): Promise<boolean> {
  const count = await update
  return Number(Array.isArray(count) ? count[0] : count) > 0
}

function valuesOf({ notes, ...numbers }: Progress): Record<string, unknown> {
  return { ...numbers, ...(notes && { notes: JSON.stringify(notes) }) }
}

function now(): string {
  return inUtc()
}
