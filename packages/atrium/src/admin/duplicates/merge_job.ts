import type { HttpContext } from '@adonisjs/core/http'
import { toProblem } from '#base/http/send_problem'
import type { KeyValue } from '#base/columns/key'
import { idOfPath, readIds } from '../bulk/bulk_ids.js'
import { NotAllowed } from '../http/errors.js'
import { JobFailure } from '../jobs/job_errors.js'
import { JobKind } from '../jobs/job_kind.js'
import type { JobRun } from '../jobs/job_run.js'
import type AdminJob from '../models/admin_job.js'
import { inSentence } from '../text/plain_text.js'
import type { ModelView } from '../views/model_view.js'
import {
  findGroups,
  mergedByRule,
  keysOfGroup,
  mergeByRule,
  MERGED_BY_RULE,
  type MergeRule,
} from './merge_rule.js'
import { MergeRefused, mergeFields, mayMerge, mergeRecords } from './merge_records.js'
import type { BulkSite } from '../bulk/bulk_job.js'

/** Name of the job kind */
export const MERGE_JOB = 'merge'

const CHUNKS = 'admin_job_chunks'

interface Payload {
  /** Query string of the page of duplicates */
  query: string
  keep: MergeRule
  /** Number of groups of the preview */
  count: number
}

interface Notes {
  /** Number of groups that could not be merged, and the reason for the first of them */
  skipped: number
  reason?: string
}

/**
 * Merges groups of duplicates by a rule. It first stores the keys of all groups; each merge is then one event and one
 * transaction. A group whose merge is refused stays as it is.
 */
export class MergeJob extends JobKind {
  readonly name = MERGE_JOB
  readonly again = 'rest'

  constructor(private readonly site: BulkSite) {
    super()
  }

  titleOf(job: AdminJob): string {
    return this.site.text('merge.all.job', this.#words(job))
  }

  override notesOfRest(job: AdminJob): AdminJob['notes'] {
    return job.notes
  }

  async perform(run: JobRun): Promise<Record<string, unknown>> {
    const { count } = run.job.payload as unknown as Payload
    if (run.done === 0) await this.#collect(run, count)
    while (run.done < count) await this.#mergeNext(run, run.done + 1 === count)
    return { message: this.#message(run.job, notesOf(run.job)) }
  }

  override async cleanUp({ id }: AdminJob): Promise<void> {
    await this.site.jobs.store.client().from(CHUNKS).where('job_id', id).delete()
  }

  /** Stores the keys of each group, first the record that remains after the merge. */
  async #collect(run: JobRun, count: number): Promise<void> {
    const { query, keep } = run.job.payload as unknown as Payload
    const { ctx, view } = await this.#begin(run)
    const { list, ...found } = await findGroups(ctx, this.site, view, query)
    const groups = mergedByRule(found.groups)
    if (groups.length !== count) throw new JobFailure('duplicates.all.changed')
    await this.cleanUp(run.job)
    for (const [position, { condition }] of groups.entries()) {
      const most = MERGED_BY_RULE.records
      const keys = await keysOfGroup(ctx, view, list, condition, keep, most)
      const ids = keys.map((key) => view.resource.key.toPath(key).slice(1))
      const row = { job_id: run.job.id, position, record_keys: JSON.stringify(ids) }
      await run.store.client().table(CHUNKS).insert(row)
      await run.goOn()
    }
  }

  async #mergeNext(run: JobRun, isLast: boolean): Promise<void> {
    const { ctx, view } = await this.#begin(run)
    const keys = await this.#keys(run, view)
    const outcome = (notes: Notes) => ({
      notes: { ...notes },
      ...(isLast && { result: { message: this.#message(run.job, notes) } }),
    })
    const before = notesOf(run.job)
    try {
      await run.step(view.client(), 1, async (client) => {
        const options = { ...view.callOptions(ctx), client }
        const merge = mergeByRule(view, mergeFields(view), await view.crud.findMany(keys, options))
        await mergeRecords(ctx, this.site, view, mergeFields(view), merge, client)
        return outcome(before)
      })
    } catch (error) {
      const reason = this.#reasonOf(error)
      const notes = { skipped: before.skipped + 1, reason: before.reason ?? reason }
      await run.step(view.client(), 1, async () => outcome(notes))
    }
  }

  async #keys({ done, job, store }: JobRun, { resource }: ModelView): Promise<KeyValue[]> {
    const row = await store.client().from(CHUNKS).where({ job_id: job.id, position: done }).first()
    if (!row) throw new JobFailure('jobs.errors.keysGone')
    return readIds(resource.key, (JSON.parse(row.record_keys) as string[]).map(idOfPath))
  }

  /**
   * Returns the view of the job's owner, if the owner is still allowed to merge.
   *
   * @throws JobFailure  if the model no longer exists
   * @throws NotAllowed  if the owner is not allowed to merge any more
   */
  async #begin(run: JobRun): Promise<{ ctx: HttpContext; view: ModelView }> {
    const ctx = await run.context()
    const base = this.site.models.get(run.job.model ?? '')
    if (!base) throw new JobFailure('jobs.errors.modelGone', { model: run.job.model })
    if (!base.admits(ctx)) throw new NotAllowed()
    const view = await base.for(ctx)
    if (view.isWithheld || !(await mayMerge(ctx, this.site, view))) throw new NotAllowed()
    return { ctx, view }
  }

  /**
   * Returns the message for a group that can't be merged.
   *
   * @throws the error, if it concerns the whole job
   */
  #reasonOf(error: unknown): string {
    if (error instanceof MergeRefused) return this.site.text(error.key, error.data)
    const { errors = [], message, status } = toProblem(error)
    if (error instanceof NotAllowed || error instanceof JobFailure || status >= 500) throw error
    return errors.length > 0 ? errors.map((one) => one.message).join(' ') : message
  }

  #message(job: AdminJob, { reason, skipped }: Notes): string {
    const { count, plural } = this.#words(job)
    const done = this.site.text('merge.all.done', { count: count - skipped, plural })
    if (skipped === 0) return done
    return `${done} ${this.site.text('merge.all.skipped', { count: skipped, reason })}`
  }

  #words({ model, payload }: AdminJob) {
    const view = this.site.models.get(model ?? '')
    const { count } = payload as unknown as Payload
    return { count, plural: inSentence(view?.label ?? model ?? '') }
  }
}

function notesOf({ notes }: AdminJob): Notes {
  return { skipped: 0, ...notes } as Notes
}
