import type { HttpContext } from '@adonisjs/core/http'
import type { Site } from '../../views/site.js'
import type { WithDatabase } from '../../config/database_config.js'
import type { WithLimits } from '../../config/define_config.js'
import type { WithJobs } from '../jobs.js'
import { PageNotFound, WithheldPage } from '../../http/errors.js'
import { isGuarded, requireProof } from '../../identity/proof.js'
import { isSuperuser, guardOf } from '../../identity/admin_guard.js'
import { readPage, lastPage, pagesOf, ROWS } from '../../event_log/event_filters.js'
import { shownJobUndo, startJobUndo } from '../../undo/job_undo.js'
import { respondWithRefusal } from '../../undo/undo_refusal.js'
import { flashToNextPage } from '../../http/flash.js'
import AdminJob, { isUnfinished } from '../../models/admin_job.js'
import { jobUrl, shownEvents, shownJob, respondWithJob } from './shown_job.js'
import { redirect } from '../../http/redirect.js'
import { rowId } from '../../views/record_items.js'

/** Pages of background jobs. Users see their own jobs, superusers see all. */
export class JobsController {
  constructor(private readonly site: Site & WithDatabase & WithLimits & WithJobs) {}

  /** Renders the list of jobs; without the layout for htmx requests. */
  async index(ctx: HttpContext): Promise<string> {
    const query = new URLSearchParams(ctx.request.parsedUrl.query ?? '')
    const [counted] = await this.#visible(ctx).count('* as jobs')
    const total = Number(counted.$extras.jobs)
    const page = Math.min(readPage(query.getAll('page').at(-1)), lastPage(total))
    const jobs = await this.#visible(ctx)
      .orderBy('id', 'desc')
      .offset((page - 1) * ROWS)
      .limit(ROWS)
    const url = (number: number) => this.site.url(`/management/jobs?page=${number}`)
    const isPart = ctx.request.header('hx-request') !== undefined
    ctx.response.vary('HX-Request')
    return await this.site.render(ctx, isPart ? 'partials/jobs_content' : 'pages/jobs', {
      jobs: await Promise.all(jobs.map((job) => shownJob(this.site, ctx, job))),
      pages: pagesOf(total, page, url),
      showsOwners: isSuperuser(ctx),
      /* With `poll`, as automatic refreshes do not count as activity of the user. */
      pollUrl: jobs.some(isUnfinished) ? `${url(page)}&poll=1` : null,
    })
  }

  /** Renders the page of a job; only its state, without the layout, for htmx requests. */
  async show(ctx: HttpContext): Promise<string> {
    const job = await this.#find(ctx)
    const undo = await shownJobUndo(this.site, ctx, job)
    const data = {
      job: await shownJob(this.site, ctx, job),
      undo,
      events: await shownEvents(this.site, ctx, job),
      links: { jobs: this.site.url('/management/jobs') },
    }
    ctx.response.vary('HX-Request')
    if (ctx.request.header('hx-request') !== undefined) {
      return await this.site.render(ctx, 'partials/job', data)
    }
    return await this.site.render(ctx, 'pages/job', data)
  }

  /**
   * Sends the file that a job has created to the job's owner. The owner must still be allowed to see the model and to
   * do what created the file.
   */
  async file(ctx: HttpContext): Promise<unknown> {
    const job = await this.#find(ctx, { isOwn: true })
    const kind = await this.site.jobs.kindOf(job)
    const file = kind?.fileOf(job)
    if (!kind || !file || file.isGone) throw new PageNotFound()
    if (!(await kind.mayFetch(ctx, job))) throw new WithheldPage()
    if (!(await kind.isFileAllowed(ctx, job))) return await this.#refuseFile(ctx, job)
    const opened = await file.open()
    if (!opened) throw new PageNotFound()
    ctx.response
      .header('content-type', 'application/octet-stream')
      .header('content-disposition', `attachment; filename="${file.name}"`)
      .header('content-length', opened.size)
      .stream(opened.stream)
  }

  async cancel(ctx: HttpContext): Promise<unknown> {
    const job = await this.#find(ctx)
    const wasCancelled = await this.site.jobs.cancel(job)
    return await this.#show(ctx, job, wasCancelled ? 'jobs.cancelled' : 'jobs.notCancelled')
  }

  /**
   * Runs a job again. Only its owner can start it, as it runs with the owner's permissions.
   *
   * @throws ReauthenticationRequired  if the same action without a job would require reauthentication
   */
  async again(ctx: HttpContext): Promise<unknown> {
    const job = await this.#find(ctx, { isOwn: true })
    const view = this.site.models.get(job.model ?? '')
    if (view && isGuarded(view.model)) requireProof(ctx, jobUrl(this.site, job))
    const next = await this.site.jobs.again(ctx, job)
    return await this.#show(ctx, next ?? job, next ? null : 'jobs.notAgain')
  }

  /** Undoes all writes of a job, as a job of the signed-in user. */
  async undo(ctx: HttpContext): Promise<unknown> {
    const job = await this.#find(ctx)
    try {
      const undoing = await startJobUndo(this.site, ctx, job)
      return respondWithJob(ctx, this.site, undoing)
    } catch (error) {
      return await respondWithRefusal(ctx, this.site, error)
    }
  }

  async #refuseFile(ctx: HttpContext, job: AdminJob) {
    const isNavigation = ctx.request.header('sec-fetch-mode') === 'navigate'
    if (isNavigation) return await this.#show(ctx, job, 'jobs.fileRefused')
    ctx.response.status(403).send({ detail: [{ message: this.site.text('jobs.fileRefused') }] })
  }

  async #show(ctx: HttpContext, job: AdminJob, text: string | null) {
    if (text !== null) {
      const kind = text === 'jobs.cancelled' ? 'success' : 'error'
      await flashToNextPage(ctx, { kind, text: this.site.text(text) })
    }
    redirect(ctx, jobUrl(this.site, job))
  }

  /** @throws PageNotFound  if the job does not exist; WithheldPage if it belongs to another user */
  async #find(ctx: HttpContext, { isOwn = false } = {}): Promise<AdminJob> {
    const id = rowId(ctx.params.id)
    const job = id === null ? null : await this.#all().where('id', id).first()
    if (!job) throw new PageNotFound()
    const isVisible = job.userId === ownerOf(ctx).id || (isSuperuser(ctx) && !isOwn)
    if (!isVisible) throw new WithheldPage()
    return job
  }

  #visible(ctx: HttpContext) {
    return isSuperuser(ctx) ? this.#all() : this.#all().where('userId', ownerOf(ctx).id)
  }

  #all() {
    return AdminJob.query({ client: this.site.jobs.store.reading() })
  }
}

function ownerOf(ctx: HttpContext) {
  return guardOf(ctx).signedInOrFail().owner
}
