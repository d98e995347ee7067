import type { HttpContext } from '@adonisjs/core/http'
import { inSnapshot } from '#base/database/transaction'
import { readersOf } from '#base/database/sqlite/sqlite_connection'
import type { KeyValue } from '#base/columns/key'
import type { Site } from '../views/site.js'
import { NotAllowed } from '../http/errors.js'
import { JobFailure } from '../jobs/job_errors.js'
import { EventInParts, nothingLogged, type LoggedParts } from '../events/long_action.js'
import { JobKind } from '../jobs/job_kind.js'
import type { JobRun } from '../jobs/job_run.js'
import { PartSize } from '../jobs/part_size.js'
import type AdminJob from '../models/admin_job.js'
import type { ModelView } from '../views/model_view.js'
import { may } from '../permissions/may.js'
import { ActionTask, DeleteOrRestoreTask, WRITES, type Write } from './bulk_tasks.js'
import { idOfPath, MOST_IDS, readIds } from './bulk_ids.js'
import type { BulkTask } from './bulk_task.js'
import { changed, MatchingRecords } from './matching_records.js'
import { restoredChanges, type StoredChanges } from './edit/changes.js'
import { EDIT, EditTask } from './edit/edit_task.js'
import type { ListSite } from '../list/read_list.js'
import type { WithJobs } from '../jobs/jobs.js'

/** The parts of the site that bulk actions need */
export type BulkSite = ListSite & WithJobs

/** Name of the job kind */
export const BULK_JOB = 'bulk'

const CHUNKS = 'admin_job_chunks'

interface Payload {
  /** Path of the task's form, and the value of the task's button */
  task: string
  value: string
  query: string
  count: number
  /** Changes of an edit task */
  changes?: StoredChanges
}

/**
 * A bulk task on more records than one request can write. It first stores the keys of all records from a single
 * snapshot, then writes the records in that order, in chunks of a thousand. Each chunk is one event, and one
 * transaction. On SQLite, which has a single writer, a chunk is several short transactions so that other writes do not
 * wait long.
 */
export class BulkJob extends JobKind {
  readonly name = BULK_JOB
  readonly again = 'rest'

  constructor(private readonly site: BulkSite) {
    super()
  }

  titleOf(job: AdminJob): string {
    const { count } = job.payload as unknown as Payload
    const title = this.#taskOf(job)?.title(count)
    return title ?? this.site.text('jobs.kind.bulk', { model: job.model ?? '' })
  }

  override notesOfRest(job: AdminJob) {
    return { unchanged: unchangedIn(job) }
  }

  async perform(run: JobRun): Promise<Record<string, unknown>> {
    const { job } = run
    const { count } = job.payload as unknown as Payload
    if (run.done < count && !(await this.#isCollected(run, count))) await this.#collect(run)
    const client = this.site.models.get(job.model ?? '')?.client()
    const size = new PartSize(client?.dialect.name.includes('sqlite'))
    while (run.done < count) {
      const rest = Math.min(MOST_IDS - (run.done % MOST_IDS), count - run.done)
      await size.writeSome(rest, (some) => this.#write(run, size, some, rest))
      await size.pause()
    }
    if (run.isEnded) return {}
    /*
     * This is only reached if a previous run was killed after it had written the last records; otherwise `#write` has
     * set the result.
     */
    return { message: this.#taskOf(job)?.done(count, unchangedIn(job)) ?? this.titleOf(job) }
  }

  /** Writes the next records, which are all or some of the rest of the current chunk. */
  async #write(run: JobRun, size: PartSize, some: number, rest: number): Promise<void> {
    const { count } = run.job.payload as unknown as Payload
    const { ctx, view, task } = await this.#begin(run)
    const begun = run.done % MOST_IDS
    const chunk = await this.#chunk(run, view)
    const keys = chunk.slice(begun, begun + some)
    await task.prepare(keys, ctx)
    const isLast = run.done + keys.length >= count
    let event: EventInParts | undefined
    await run.step(view.client(), keys.length, async (client) => {
      if (begun > 0 || some < rest) event = new EventInParts(loggedOf(run)).ofContext(ctx)
      const before = unchangedIn(run.job)
      await size.measure(keys.length, () => task.run(keys, ctx, client))
      const unchanged = before + task.unchanged
      return {
        notes: { unchanged, ...(event && { chunk: event.logged }) },
        ...(isLast && { result: { message: task.done(count, unchanged) } }),
      }
    })
    await event?.settle()
    if (event) run.job.notes = { ...run.job.notes, chunk: event.logged }
  }

  #taskOf({ model, payload }: AdminJob): BulkTask | null {
    const view = this.site.models.get(model ?? '')
    return view ? taskOf(this.site, view, payload as unknown as Payload) : null
  }

  override async cleanUp({ id }: AdminJob): Promise<void> {
    await this.site.jobs.store.client().from(CHUNKS).where('job_id', id).delete()
  }

  /**
   * Returns the task if the owner of the job is still allowed to run it.
   *
   * @throws NotAllowed  if the user is not allowed any more
   * @throws JobFailure  if the model no longer exists
   */
  async #begin(run: JobRun): Promise<{ ctx: HttpContext; view: ModelView; task: BulkTask }> {
    const ctx = await run.context()
    const unrestricted = this.site.models.get(run.job.model ?? '')
    if (!unrestricted) throw new JobFailure('jobs.errors.modelGone', { model: run.job.model })
    if (!unrestricted.admits(ctx)) throw new NotAllowed()
    const view = await unrestricted.for(ctx)
    const task = view.isWithheld
      ? null
      : taskOf(this.site, view, run.job.payload as unknown as Payload)
    if (!task || !(await may(ctx, view, task.needs))) throw new NotAllowed()
    return { ctx, view, task }
  }

  /** Returns whether all keys are stored. The last chunk is stored only after the total number is verified. */
  async #isCollected({ job, store }: JobRun, count: number): Promise<boolean> {
    const [found] = await store.client().from(CHUNKS).where('job_id', job.id).count('* as chunks')
    return Number(found.chunks) === Math.ceil(count / MOST_IDS)
  }

  /**
   * Stores the keys. They are read in one transaction and written outside of it. On SQLite, a transaction that only
   * reads does not block other writes.
   */
  async #collect(run: JobRun): Promise<void> {
    const { query, count } = run.job.payload as unknown as Payload
    const { ctx, view, task } = await this.#begin(run)
    const matching = await MatchingRecords.read(ctx, this.site, view, task, query)
    await this.cleanUp(run.job)
    const client = view.client()
    await inSnapshot(readersOf(client) ?? client, (reading) =>
      this.#note(run, view, matching.keys(reading), count)
    )
  }

  async #note(
    run: JobRun,
    { resource }: ModelView,
    batches: AsyncGenerator<KeyValue[]>,
    count: number
  ) {
    const waiting: string[] = []
    let position = 0
    const store = async () => {
      const keys = JSON.stringify(waiting.splice(0, MOST_IDS))
      const row = { job_id: run.job.id, position, record_keys: keys }
      await run.store.client().table(CHUNKS).insert(row)
      position++
    }
    let found = 0
    for await (const keys of batches) {
      found += keys.length
      /* Keys are stored as paths, which can represent keys of every type. */
      waiting.push(...keys.map((key) => resource.key.toPath(key).slice(1)))
      while (waiting.length > MOST_IDS) await store()
      await run.goOn()
    }
    if (found !== count) {
      await this.cleanUp(run.job)
      throw changed(count, found)
    }
    await store()
  }

  /**
   * Reads the next chunk. All chunks but the last contain a thousand keys, so the number of written records determines
   * the chunk.
   */
  async #chunk({ done, job, store }: JobRun, { resource }: ModelView): Promise<KeyValue[]> {
    const position = Math.floor(done / MOST_IDS)
    const row = await store.client().from(CHUNKS).where({ job_id: job.id, position }).first()
    if (!row) throw new JobFailure('jobs.errors.keysGone')
    return readIds(resource.key, (JSON.parse(row.record_keys) as string[]).map(idOfPath))
  }
}

/** Returns the number of records that previous chunks left unchanged. */
function unchangedIn({ notes }: AdminJob): number {
  return Number(notes?.unchanged ?? 0)
}

/** Returns the event data that earlier parts of the current chunk have logged. */
function loggedOf({ done, job }: JobRun): LoggedParts {
  const logged = job.notes?.chunk as LoggedParts | undefined
  return done % MOST_IDS > 0 && logged ? logged : nothingLogged(null)
}

/**
 * Returns the task of a job, without checking whether the user is allowed to run it.
 *
 * @returns null if the view has no such task
 */
function taskOf(
  site: Site,
  view: ModelView,
  { task: path, value, changes }: Payload
): BulkTask | null {
  if (path === EDIT && changes) return new EditTask(site, view, restoredChanges(changes))
  if (WRITES.includes(value as Write)) {
    const task = new DeleteOrRestoreTask(site, view, value as Write)
    if (task.path === path) return task
  }
  const action = view.bulkActions.find(({ name }) => name === value)
  const task = action && new ActionTask(site, view, action)
  return task?.path === path ? task : null
}
