import type { HttpContext } from '@adonisjs/core/http'
import { Problem, crudConfig } from '#crud'
import { toProblem } from '#base/http/send_problem'
import { readBody } from '#base/http/body'
import type { KeyValue } from '#base/columns/key'
import type { Site } from '../views/site.js'
import { BulkFailure } from './errors.js'
import type AdminJob from '../models/admin_job.js'
import type { ModelView } from '../views/model_view.js'
import type { BulkTask } from './bulk_task.js'
import { BULK_JOB } from './bulk_job.js'
import { MOST_IDS } from './bulk_ids.js'
import { changed, MatchingRecords, type AllMatching } from './matching_records.js'
import type { BulkSite } from './bulk_job.js'

/* Reads and writes the JSON bodies of the bulk endpoints. */

/**
 * Returns the ids in a request body.
 *
 * @throws BulkFailure 400  if no records are selected
 * @throws BulkFailure 422  if `ids` is not a list
 */
export function idsOf(
  { ids = [] }: Record<string, unknown>,
  { noneSelected }: BulkTask
): unknown[] {
  if (!Array.isArray(ids)) throw new BulkFailure(422, 'bulk.noList')
  if (ids.length === 0) throw new BulkFailure(400, noneSelected)
  return ids
}

/**
 * Parses the body without the application's parser, which rounds integers beyond 2^53.
 *
 * @throws Problem 413, 422
 */
export async function callBody(ctx: HttpContext): Promise<Record<string, unknown>> {
  const { headers } = ctx.request.request
  const isEmpty = headers['transfer-encoding'] === undefined && !Number(headers['content-length'])
  if (isEmpty) return {}
  if (!ctx.request.is(['json'])) throw new BulkFailure(422, 'bulk.noJson')
  try {
    return await readBody(ctx, crudConfig().body)
  } catch (error) {
    if (error instanceof Problem && error.status !== 413) throw new Problem(422, error.message)
    throw error
  }
}

/**
 * Responds to a failure.
 *
 * @throws  the error itself if it has the status 403, which the site's error handler handles
 */
export function refuseCall(ctx: HttpContext, site: Site, view: ModelView, error: unknown): void {
  const isBusy = error instanceof BulkFailure && error.status === 503
  const problem = toProblem(isBusy ? error.cause : error)
  if (problem.status === 403) throw error
  if (problem.status >= 500) ctx.logger.error({ err: error }, `${view.name}: bulk call failed`)
  for (const [name, value] of Object.entries(problem.headers)) ctx.response.header(name, value)

  const status = [400, 409, 413, 503].includes(problem.status) ? problem.status : 422
  const isOwn = error instanceof BulkFailure
  const message = isOwn ? site.text(error.key, error.data) : problem.message
  /* The response contains both numbers if the number of matching records has changed. */
  const numbers = isOwn && status === 409 ? error.data : {}
  ctx.response.status(status).send({ detail: [{ message, ...numbers }] })
}

/**
 * All matching records, after checking that the number is the one that the user saw. A request handles them if they are
 * few enough, otherwise a job.
 */
export class SelectAll {
  private constructor(
    /** Keys of all records; only of the first ones if a job runs the task */
    readonly keys: KeyValue[],
    readonly count: number,
    private readonly start: () => Promise<AdminJob>
  ) {}

  /** True if there are too many records for one request */
  get isJob(): boolean {
    return this.count > MOST_IDS
  }

  /**
   * Checks the number of matching records and reads their keys.
   *
   * @param view  view with the permissions of the user's roles
   * @throws BulkFailure 400, 409, 422
   * @throws NotAllowed
   */
  static async read(
    ctx: HttpContext,
    site: BulkSite,
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
    /* Records may have changed since they were counted. */
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

  /** Starts the job that runs the task. */
  async startJob(): Promise<AdminJob> {
    return await this.start()
  }
}
