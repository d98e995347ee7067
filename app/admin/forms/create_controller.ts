import type { HttpContext } from '@adonisjs/core/http'
import type { Item } from '#crud'
import { keyOf } from '#crud/internals'
import type { AdminSite } from '../admin_site.js'
import { flashToNextPage, type Flash } from '../http/flash.js'
import { openedList } from '../list/opened_list.js'
import type { ModelView } from '../model_view.js'
import { validateSubmission } from './submission/validate_submission.js'
import { failureOf } from './submission/form_failure.js'
import { FormPage } from './form_page.js'
import { goToList } from './go_to_list.js'
import { recordMessage } from './record_message.js'
import { isForbidden } from './submission/refusals.js'
import { readSubmission, type Submission } from './submission/submission.js'
import { Uploads } from './files/uploads.js'

/**
 * Create page and its form. [S36 to S39, S49]
 */
export class CreateController {
  readonly #form: FormPage

  constructor(
    protected readonly site: AdminSite,
    protected readonly view: ModelView
  ) {
    this.#form = new FormPage(site, view, 'create')
  }

  /**
   * Renders the blank form.
   */
  async page(ctx: HttpContext): Promise<unknown> {
    return await this.#form.render(ctx)
  }

  /**
   * Creates the record, or renders the form again with the faults and the submitted values.
   */
  async submit(ctx: HttpContext): Promise<unknown> {
    const submission = await readSubmission(this.#form.fields, ctx, 'create')
    const refusal = this.#form.refusalOf(ctx)
    if (refusal) {
      ctx.response.status(403)
      return await this.#form.render(ctx, { submission, failure: refusal })
    }
    if (submission.asksAgain) return await this.#form.render(ctx, { submission })
    let item: Item
    try {
      item = await this.#store(ctx, submission)
    } catch (error) {
      const failure = failureOf(this.site, this.#form.fields, error)
      ctx.response.status(isForbidden(error) ? 403 : 422)
      return await this.#form.render(ctx, { submission, failure })
    }
    await flashToNextPage(ctx, await this.#message(ctx, item))
    const list = await openedList(ctx, this.site, this.view)
    await goToList(this.site, this.view, ctx, list)
  }

  async #message(ctx: HttpContext, item: Item): Promise<Flash> {
    const { site, view } = this
    const key = item && keyOf(item)
    if (!key) return { kind: 'success', text: site.text('form.stored', { one: view.singular }) }
    return await recordMessage(ctx, site, view, 'form.created', { key, title: view.titleOf(item) })
  }

  async #store(ctx: HttpContext, submission: Submission): Promise<Item> {
    const uploads = new Uploads(this.view, this.#form.fields, submission)
    try {
      const values = await validateSubmission(this.view.resource.createBody, submission, uploads, {
        operation: 'create',
      })
      const options = { ...this.view.callOptions(ctx), files: uploads.names }
      const item = await this.view.crud.create(values, options)
      const key = item && keyOf(item)
      if (key) await uploads.belongTo(key)
      return item
    } catch (error) {
      await uploads.drop()
      throw error
    }
  }
}
