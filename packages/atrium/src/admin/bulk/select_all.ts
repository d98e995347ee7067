import type { HttpContext } from '@adonisjs/core/http'
import type { KeyValue } from '#base/columns/key'
import type { AdminSite } from '../admin_site.js'
import { BulkFailure } from '../errors.js'
import type AdminJob from '../models/admin_job.js'
import type { ModelView } from '../model_view.js'
import { BULK_JOB } from './bulk_job.js'
import { MOST_IDS } from './bulk_ids.js'
import type { BulkTask } from './bulk_task.js'
import { changed, MatchingRecords, type AllMatching } from './matching_records.js'

/**
 * All matching records, checked against what the person saw: few enough for one request, or more. [L8]
 */
export class SelectAll {
  private constructor(
    /** The keys of all of them, or of the first ones */
    readonly keys: KeyValue[],
    readonly count: number,
    private readonly start: () => Promise<AdminJob>
  ) {}

  /** True if they are too many for one request */
  get isJob(): boolean {
    return this.count > MOST_IDS
  }

  /**
   * @param view  as the roles of the user leave it
   * @throws BulkFailure 400, 409, 422
   * @throws NotAllowed
   */
  static async read(
    ctx: HttpContext,
    site: AdminSite,
    view: ModelView,
    task: BulkTask,
    { query, count }: AllMatching
  ): Promise<SelectAll> {
    const matching = await MatchingRecords.read(ctx, site, view, task, query)
    await matching.expect(count)
    if (count === 0) throw new BulkFailure(400, task.noneSelected)
    const keys: KeyValue[] = []
    for await (const some of matching.keys()) {
      keys.push(...some)
      if (count > MOST_IDS && keys.length >= MOST_IDS) break
    }
    /* They may have become others since they were counted. */
    if (count <= MOST_IDS && keys.length !== count) throw changed(count, keys.length)
    return new SelectAll(keys.slice(0, MOST_IDS), count, () =>
      site.jobs.start(ctx, BULK_JOB, {
        model: view.name,
        total: count,
        payload: {
          ...task.payload,
          task: task.path,
          value: task.value,
          query: matching.query,
          count,
        },
      })
    )
  }

  /** Starts the job that does it. */
  async startJob(): Promise<AdminJob> {
    return await this.start()
  }
}
