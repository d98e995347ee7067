import type { HttpContext } from '@adonisjs/core/http'
import type { AdminSite } from '../../admin_site.js'
import { PageNotFound } from '../../errors.js'
import { isSuperuser } from '../../events/pages/event_access.js'
import { readPage } from '../../events/pages/event_filters.js'
import { lastPage, pagesOf, ROWS } from '../../events/pages/pages.js'
import { flashToNextPage } from '../../http/flash.js'
import AdminJob from '../../models/admin_job.js'
import { jobUrl } from './job_url.js'
import { shownJob } from './shown_job.js'

/**
 * Pages of background jobs: one's own, all for superusers. [D1]
 */
export class JobsController {
  constructor(private readonly site: AdminSite) {}

  async index(ctx: HttpContext): Promise<string> {
    const query = new URLSearchParams(ctx.request.parsedUrl.query ?? '')
    const [counted] = await this.#visible(ctx).count('* as jobs')
    const total = Number(counted.$extras.jobs)
    const page = Math.min(readPage(query.getAll('page').at(-1)), lastPage(total))
    const jobs = await this.#visible(ctx)
      .orderBy('id', 'desc')
      .offset((page - 1) * ROWS)
      .limit(ROWS)
    return await this.site.render(ctx, 'pages/jobs', {
      jobs: jobs.map((job) => shownJob(this.site, ctx, job)),
      pages: pagesOf(total, page, (number) => this.site.url(`/management/jobs?page=${number}`)),
      showsOwners: isSuperuser(ctx),
    })
  }

  /**
   * A job; for htmx its state without the layout.
   */
  async show(ctx: HttpContext): Promise<string> {
    const job = shownJob(this.site, ctx, await this.#find(ctx))
    const data = { job, links: { jobs: this.site.url('/management/jobs') } }
    ctx.response.vary('HX-Request')
    if (ctx.request.header('hx-request') !== undefined) {
      return await this.site.render(ctx, 'partials/job', data)
    }
    return await this.site.render(ctx, 'pages/job', data)
  }

  async cancel(ctx: HttpContext): Promise<unknown> {
    const job = await this.#find(ctx)
    const wasCancelled = await this.site.jobs.store.cancel(job)
    return await this.#show(ctx, job, wasCancelled ? 'jobs.cancelled' : 'jobs.notCancelled')
  }

  /** The job that it leads to has the permissions of its owner, who alone may start it. */
  async again(ctx: HttpContext): Promise<unknown> {
    const job = await this.#find(ctx, { isOwn: true })
    const next = await this.site.jobs.again(ctx, job)
    return await this.#show(ctx, next ?? job, next ? null : 'jobs.notAgain')
  }

  async #show(ctx: HttpContext, job: AdminJob, text: string | null) {
    if (text !== null) {
      const kind = text === 'jobs.cancelled' ? 'success' : 'error'
      await flashToNextPage(ctx, { kind, text: this.site.text(text) })
    }
    ctx.response.status(303).header('location', jobUrl(this.site, job)).send('')
  }

  /**
   * @throws PageNotFound  for the jobs of others, too
   */
  async #find(ctx: HttpContext, { isOwn = false } = {}): Promise<AdminJob> {
    const { id } = ctx.params
    const job = /^\d{1,9}$/.test(id)
      ? await this.#visible(ctx, isOwn).where('id', Number(id)).first()
      : null
    if (!job) throw new PageNotFound()
    return job
  }

  #visible(ctx: HttpContext, isOwn = false) {
    const query = AdminJob.query({ client: this.site.jobs.store.client() })
    if (isSuperuser(ctx) && !isOwn) return query
    return query.where('userId', ctx.auth.use('admin').signedInOrFail().owner.id)
  }
}
