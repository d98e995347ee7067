import db from '@adonisjs/lucid/services/db'
import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import { DateTime } from 'luxon'
import { inTransaction } from '#base/database/transaction'
import { inUtc } from '#base/values/datetime'
import { readersOf } from '#base/database/sqlite/sqlite_connection'
import { ImportRefused } from './import_access.js'
import AdminImport from '../models/admin_import.js'
import type { ImportState } from '../models/admin_import.js'
import AdminJob, { isUnfinished } from '../models/admin_job.js'
import { ROWS_PER_WRITE, ROWS_PER_READ, chunks } from '#base/chunks'

/** Hours for which an import is stored */
export const HOURS = 24

/* States in which no job works on the import. */
const IDLE = ['columns', 'tried', 'failed'] as const

/* Maximum number of unfinished imports in the list */
const MOST_LISTED = 5

/** Store of the table of imports. */
export class ImportStore {
  client(): QueryClientContract {
    return db.connection(AdminImport.connection)
  }

  /** Client for pages, which can show an import while a run occupies the writer of SQLite */
  #reading(): QueryClientContract {
    return readersOf(this.client()) ?? this.client()
  }

  async create(values: Partial<AdminImport>): Promise<AdminImport> {
    const createdAt = DateTime.utc().startOf('second')
    return await AdminImport.create({ ...values, createdAt }, { client: this.client() })
  }

  async save(one: AdminImport, client: QueryClientContract = this.client()): Promise<void> {
    one.useConnection(client.connectionName)
    if (client.isTransaction) one.useTransaction(client as never)
    await one.save()
    one.$trx = undefined
  }

  /**
   * Returns the import in its current state, after applying the outcome of a job that failed, ended or was cancelled.
   */
  async find(id: number): Promise<AdminImport | null> {
    const one = await AdminImport.query({ client: this.#reading() }).where('id', id).first()
    if (!one) return null
    await this.#settle(one)
    return one
  }

  async unfinished(userId: number, model: string): Promise<AdminImport[]> {
    const found = await AdminImport.query({ client: this.#reading() })
      .where({ userId, model })
      .whereNot('state', 'done')
      .where('createdAt', '>=', oldest())
      .orderBy('id', 'desc')
      .limit(MOST_LISTED)
    for (const one of found) await this.#settle(one)
    return found.filter(({ state }) => state !== 'done')
  }

  /** Returns the imports that began more than a day ago and that no job works on. */
  async old(): Promise<AdminImport[]> {
    const found = await AdminImport.query({ client: this.client() })
      .where('createdAt', '<', oldest())
      .orderBy('id')
      .limit(ROWS_PER_WRITE)
    return await this.#idle(found)
  }

  /** Returns a user's imports except the newest ones and those that a job works on. */
  async beyond(userId: number, newest: number): Promise<AdminImport[]> {
    const found = await AdminImport.query({ client: this.client() })
      .where({ userId })
      .orderBy('id', 'desc')
      .offset(newest)
      .limit(ROWS_PER_WRITE)
    return await this.#idle(found)
  }

  /**
   * Saves the changes of a request.
   *
   * @throws ImportRefused  if a concurrent request has assigned the import to a job, or discarded it
   */
  async change(one: AdminImport): Promise<void> {
    await inTransaction(this.client(), async (client) => {
      const { id, state } = one
      const idle = client
        .from(AdminImport.table)
        .where('id', id)
        .whereIn('state', [...IDLE])
      if (!(await isChanged(idle.update({ state })))) {
        throw new ImportRefused('import.refused.busy')
      }
      await this.save(one, client)
    })
  }

  /**
   * Assigns an import to a job that starts, or restarts.
   *
   * @returns false if the import belongs to another job, is done, or was changed after the job ended
   */
  async claim(
    { id }: AdminImport,
    jobId: number,
    states: readonly ImportState[]
  ): Promise<boolean> {
    const mine = this.client()
      .from(AdminImport.table)
      .where('id', id)
      .whereIn('state', [...states])
      .where((query) => void query.where('job_id', jobId).orWhereNull('job_id'))
    return await isChanged(mine.update({ state: states[0], job_id: jobId }))
  }

  /**
   * Starts a job and assigns the import to it, only once.
   *
   * @throws ImportRefused  if a concurrent request has done so
   */
  async hand(
    one: AdminImport,
    state: 'trying' | 'running',
    start: () => Promise<AdminJob>
  ): Promise<AdminJob> {
    const { state: before } = one
    const mine = () => this.client().from(AdminImport.table).where('id', one.id)
    if (!(await isChanged(mine().where('state', before).update({ state, job_id: null })))) {
      throw new ImportRefused('import.refused.busy')
    }
    try {
      const job = await start()
      await mine().whereNull('job_id').update({ job_id: job.id })
      one.merge({ state, jobId: job.id })
      one.$hydrateOriginals()
      return job
    } catch (error) {
      await mine().where('state', state).update({ state: before })
      throw error
    }
  }

  /** Returns the given keys of files that belong to no import. */
  async unknownKeys(keys: readonly string[]): Promise<string[]> {
    const unknown: string[] = []
    for (const some of chunks(keys, ROWS_PER_READ)) {
      const rows = await this.client()
        .from(AdminImport.table)
        .whereIn('file_key', some)
        .select('file_key')
      const known = new Set(rows.map((row) => row.file_key))
      unknown.push(...some.filter((key) => !known.has(key)))
    }
    return unknown
  }

  async remove({ id }: AdminImport): Promise<void> {
    await this.client().from(AdminImport.table).where('id', id).delete()
  }

  async #idle(found: readonly AdminImport[]): Promise<AdminImport[]> {
    const left: AdminImport[] = []
    for (const one of found) {
      const job = await this.#jobOf(one)
      if (!job || !isUnfinished(job)) left.push(one)
    }
    return left
  }

  async #settle(one: AdminImport): Promise<void> {
    if (one.state !== 'trying' && one.state !== 'running') return
    /* The import is currently being assigned to a job. */
    if (one.jobId === null) return
    const job = await this.#jobOf(one)
    if (job && isUnfinished(job)) return
    /* A job saves the import before the job ends, so the saved state is read again. */
    const present = await AdminImport.query({ client: this.#reading() }).where('id', one.id).first()
    if (present && present.state !== one.state) {
      one.merge(present.$attributes)
      return
    }
    one.state = one.state === 'trying' ? 'columns' : 'failed'
    await this.save(one)
  }

  async #jobOf({ jobId }: AdminImport): Promise<AdminJob | null> {
    if (jobId === null) return null
    return await AdminJob.query({ client: this.#reading() }).where('id', jobId).first()
  }
}

/** Returns whether rows were updated. Lucid returns the number of rows, for some drivers in an array. */
async function isChanged(update: PromiseLike<unknown>): Promise<boolean> {
  const count = await update
  return Number(Array.isArray(count) ? count[0] : count) > 0
}

function oldest(): string {
  return inUtc(DateTime.utc().minus({ hours: HOURS }))
}
