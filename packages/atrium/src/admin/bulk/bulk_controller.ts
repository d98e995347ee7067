import type { HttpContext } from '@adonisjs/core/http'
import type { AdminSite } from '../admin_site.js'
import { type Flash, withUndo } from '../http/flash.js'
import { ListPage } from '../list/list_page.js'
import type { ModelView } from '../model_view.js'
import { acceptJob, callBody, idsOf, refuseCall, SelectAll } from './bulk_calls.js'
import { readIds } from './bulk_ids.js'
import { readAllMatching } from './matching_records.js'
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
      const body = await callBody(ctx)
      const all = readAllMatching(body)
      if (!all) text = await task.run(readIds(this.#view.resource.key, idsOf(body, task)), ctx)
      else {
        const selection = await SelectAll.read(ctx, this.#site, this.#view, task, all)
        if (selection.isJob) return acceptJob(ctx, this.#site, await selection.startJob())
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

  /** A viewer may be allowed to delete without being allowed to see the list. [B14] */
  async #show(ctx: HttpContext, done: Flash) {
    if (await this.#view.isVisibleTo(ctx)) return await this.#list.content(ctx, done)
    const told = await withUndo(ctx, done)
    return await this.#site.render(ctx, 'partials/bulk_done', { done: told })
  }

  #refuse(ctx: HttpContext, error: unknown) {
    refuseCall(ctx, this.#site, this.#view, error)
  }
}
