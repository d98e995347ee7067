import type { HttpContext } from '@adonisjs/core/http'
import { Problem, crudConfig } from '#crud'
import { toProblem, readBody } from '#crud/internals'
import type { AdminSite } from '../admin_site.js'
import type { Flash } from '../http/flash.js'
import { ListPage } from '../list/list_page.js'
import type { ModelView } from '../model_view.js'
import { jobUrl } from '../jobs/pages/job_url.js'
import type AdminJob from '../models/admin_job.js'
import { readIds } from './bulk_ids.js'
import type { BulkTask } from './bulk_task.js'
import { readAllMatching } from './matching_records.js'
import { SelectAll } from './select_all.js'
import { DeleteOrRestoreTask, type Write } from './delete_or_restore_task.js'
import { BulkFailure, NotAllowed } from '../errors.js'

/**
 * Deletes and restores records for programs and for the list's script: takes JSON, returns the
 * list's content, or `{ detail: [{ message }] }` on failure. [S50 to S54, B16, B20]
 */
export class BulkController {
  readonly #site: AdminSite
  readonly #list: ListPage
  readonly #view: ModelView

  constructor(site: AdminSite, view: ModelView) {
    this.#site = site
    this.#view = view
    this.#list = new ListPage(site, view)
  }

  async delete(ctx: HttpContext): Promise<unknown> {
    return await this.#answer(ctx, ctx.request.qs().hard === 'true' ? 'purge' : 'delete')
  }

  async restore(ctx: HttpContext): Promise<unknown> {
    return await this.#answer(ctx, 'restore')
  }

  async #answer(ctx: HttpContext, write: Write) {
    const task = new DeleteOrRestoreTask(this.#site, this.#view, write)
    if (!this.#view.may(task.needs)) throw new NotAllowed()
    let text: string
    try {
      const body = await bodyOf(ctx)
      const all = readAllMatching(body)
      if (!all) text = await task.run(readIds(this.#view.resource.key, idsOf(body, task)), ctx)
      else {
        const selection = await SelectAll.read(ctx, this.#site, this.#view, task, all)
        if (selection.isJob) return this.#accept(ctx, await selection.startJob())
        text = await task.run(selection.keys, ctx)
      }
    } catch (error) {
      return this.#refuse(ctx, error)
    }
    try {
      return await this.#show(ctx, { kind: 'success', text })
    } catch (error) {
      ctx.logger.error({ err: error }, `${this.#view.name}: the list could not be shown`)
      return this.#refuse(ctx, new BulkFailure(422, 'bulk.doneUnseen', { done: text }))
    }
  }

  #accept({ response }: HttpContext, job: AdminJob) {
    const url = jobUrl(this.#site, job)
    response
      .status(202)
      .header('location', url)
      .send({ job: { id: job.id, url } })
  }

  /** A viewer may be allowed to delete without being allowed to see the list. [B14] */
  async #show(ctx: HttpContext, done: Flash) {
    if (await this.#view.isVisibleTo(ctx)) return await this.#list.content(ctx, done)
    return await this.#site.render(ctx, 'partials/bulk_done', { done })
  }

  /** The site answers a refusal of the policy. */
  #refuse(ctx: HttpContext, error: unknown) {
    const problem = toProblem(error)
    if (problem.status === 403) throw error
    if (problem.status >= 500)
      ctx.logger.error({ err: error }, `${this.#view.name}: bulk call failed`)
    for (const [name, value] of Object.entries(problem.headers)) ctx.response.header(name, value)

    const status = [400, 409, 413].includes(problem.status) ? problem.status : 422
    const isOwn = error instanceof BulkFailure
    const message = isOwn ? this.#site.text(error.key, error.data) : problem.message
    /* Both numbers, if others match than were seen. [L8] */
    const numbers = isOwn && status === 409 ? error.data : {}
    ctx.response.status(status).send({ detail: [{ message, ...numbers }] })
  }
}

/**
 * @throws BulkFailure 400  when no records are selected
 * @throws BulkFailure 422
 */
function idsOf({ ids = [] }: Record<string, unknown>, { noneSelected }: BulkTask): unknown[] {
  if (!Array.isArray(ids)) throw new BulkFailure(422, 'bulk.noList')
  if (ids.length === 0) throw new BulkFailure(400, noneSelected)
  return ids
}

/**
 * Parses the body itself, as the application's parser rounds integers beyond 2^53. [B20]
 *
 * @throws Problem 413, 422
 */
async function bodyOf(ctx: HttpContext): Promise<Record<string, unknown>> {
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
