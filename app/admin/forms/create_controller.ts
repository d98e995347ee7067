import type { HttpContext } from '@adonisjs/core/http'
import { keyOf } from '#crud/internals'
import type { AdminSite } from '../admin_site.js'
import { flashToNextPage } from '../http/flash.js'
import type { ModelView } from '../model_view.js'
import { validateSubmission } from './submission/validate_submission.js'
import { failureOf } from './submission/form_failure.js'
import { FormPage } from './form_page.js'
import { goToList } from './go_to_list.js'
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
    try {
      await this.#store(ctx, submission)
    } catch (error) {
      const failure = failureOf(this.site, this.#form.fields, error)
      ctx.response.status(isForbidden(error) ? 403 : 422)
      return await this.#form.render(ctx, { submission, failure })
    }
    const text = this.site.text('form.created', { one: this.view.singular })
    await flashToNextPage(ctx, { kind: 'success', text })
    await goToList(this.site, this.view, ctx)
  }

  async #store(ctx: HttpContext, submission: Submission) {
    const uploads = new Uploads(this.view, this.#form.fields, submission)
    try {
      const values = await validateSubmission(this.view.resource.createBody, submission, uploads, {
        operation: 'create',
      })
      const options = { ...this.view.callOptions(ctx), files: uploads.names }
      const item = await this.view.crud.create(values, options)
      const key = item && keyOf(item)
      if (key) await uploads.belongTo(key)
    } catch (error) {
      await uploads.drop()
      throw error
    }
  }
}
