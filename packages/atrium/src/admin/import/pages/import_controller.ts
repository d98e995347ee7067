import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import type { HttpContext } from '@adonisjs/core/http'
import { stringify } from 'csv-stringify/sync'
import type { ImportSite } from '../dry_run.js'
import type { WithLimits } from '../../config/define_config.js'
import type { WithTimeZone } from '../../time/time_zone.js'
import { PageNotFound, WithheldPage } from '../../http/errors.js'
import { ImportRefused, isOwner, MOST_BYTES, uploadIn } from '../import_access.js'
import { FileError } from '../../jobs/job_errors.js'
import { isSuperuser } from '../../identity/admin_guard.js'
import type AdminImport from '../../models/admin_import.js'
import { Imports } from '../imports.js'
import type { ModelView } from '../../views/model_view.js'
import type { ImportField } from '../import_fields.js'
import { sentTexts, singleText } from '../../http/form_texts.js'
import { jobUrl, shownJob } from '../../jobs/pages/shown_job.js'
import { isolated, plainText, inSentence } from '../../text/plain_text.js'
import { changedCells } from '../corrections.js'
import { MEDIA_TYPES } from '../../sheets/file_shape.js'
import { readColumns, readShape } from './columns_form.js'
import { readFixedValues, renderColumns } from './columns_page.js'
import { importUrl, discardNote, shownSteps } from './import_links.js'
import { renderDryRun } from './dry_run_page.js'
import { redirectWithMessage, redirectPage, redirect } from '../../http/redirect.js'
import { rowId } from '../../views/record_items.js'
import type { Site } from '../../views/site.js'
import type { WithJobs } from '../../jobs/jobs.js'
import { momentOf } from '../../time/local_time.js'

/**
 * Returns the import of the request's path, which has to belong to the user; superusers can open every import.
 *
 * @throws PageNotFound  also for the import of another user or model
 */
async function findImport(
  ctx: HttpContext,
  site: ImportSite,
  view: ModelView
): Promise<AdminImport> {
  const id = rowId(ctx.params.import)
  const one = id === null ? null : await Imports.of(site).find(id)
  if (!one || one.model !== view.name) throw new PageNotFound()
  if (!isOwner(ctx, one) && !isSuperuser(ctx)) throw new WithheldPage()
  return one
}

/**
 * Returns a CSV file that contains only the heading, in a form that an import of these fields detects.
 */
function templateFile(fields: readonly ImportField[]): string {
  return stringify([fields.map(({ name }) => name)], { record_delimiter: '\r\n' })
}

/**
 * The import of a file in four steps: the file, the columns, a dry run, the run. The routes are not accessible to users
 * who cannot import the model.
 */
export class ImportController {
  constructor(
    private readonly site: ImportSite & WithLimits & WithTimeZone,
    private readonly view: ModelView
  ) {}

  /** Shows the page for uploading a file. */
  async begin(ctx: HttpContext): Promise<string> {
    return await renderUpload(ctx, this.site, this.view)
  }

  /** Sends a file that contains only the heading. */
  async template(ctx: HttpContext): Promise<void> {
    const text = templateFile(await this.#fields(ctx))
    ctx.response.attachment('template.csv', `${this.view.name}.csv`)
    ctx.response.header('content-type', 'text/csv; charset=utf-8').send(text)
  }

  /** Stores the uploaded file. The response to an invalid file is the upload page with an error. */
  async upload(ctx: HttpContext): Promise<unknown> {
    const file = uploadIn(ctx)
    if (typeof file === 'string') {
      const text = this.site.text(`import.upload.${file}`, { most: MOST_BYTES / 1024 / 1024 })
      return await this.#askAgain(ctx, file === 'tooLarge' ? 413 : 422, text)
    }
    try {
      const { tmpPath: path, clientName: name, size: bytes } = file
      const one = await Imports.of(this.site).begin(ctx, this.view, { path: path!, name, bytes })
      redirect(ctx, importUrl(this.view, one))
    } catch (error) {
      return await this.#askAgain(ctx, 422, this.#words(error))
    }
  }

  /** Shows the current step of the import, or the earlier step in the URL. */
  async show(ctx: HttpContext): Promise<unknown> {
    const { site, view } = this
    const one = await findImport(ctx, site, view)
    const { step } = ctx.request.qs()
    const isEnded = one.state === 'running' || one.state === 'done'
    if (isEnded && one.jobId !== null) return redirect(ctx, jobUrl(site, { id: one.jobId }))
    if (step === 'file') return await renderUpload(ctx, site, view, { one })
    if (step === 'columns') return await renderColumns(ctx, site, view, { one })
    if (one.state === 'trying') return await renderWaiting(ctx, site, view, one)
    if (ctx.request.header('hx-request') !== undefined) {
      /* Redirects the page that waited for the dry run. */
      return redirectPage(ctx, importUrl(view, one), 200)
    }
    if (one.dryRun && (one.state === 'tried' || step === 'trial')) {
      return await renderDryRun(ctx, site, view, { one })
    }
    return await renderColumns(ctx, site, view, { one, error: await this.#errorOf(one) })
  }

  /** Saves the mapping of the columns, and starts the dry run. */
  async columns(ctx: HttpContext): Promise<unknown> {
    const { site, view } = this
    const one = await findImport(ctx, site, view)
    const { values, message: invalid } = await readFixedValues(ctx, site, view)
    const form = { ...readColumns(ctx, one.shape.columns.length), values }
    try {
      if (invalid) throw new ImportRefused('import.refused.fixedValue', { message: invalid })
      await Imports.of(site).setColumns(ctx, one, form)
      await Imports.of(site).startDryRun(ctx, one)
      redirect(ctx, importUrl(view, one))
    } catch (error) {
      const message = this.#words(error)
      ctx.response.status(422)
      return await renderColumns(ctx, site, view, { one, form, error: message })
    }
  }

  /** Reads the file again, with another encoding, delimiter, sheet or heading. */
  async reread(ctx: HttpContext): Promise<unknown> {
    const { site, view } = this
    const one = await findImport(ctx, site, view)
    try {
      await Imports.of(site).reread(ctx, one, readShape(ctx, one.shape))
      redirect(ctx, importUrl(view, one, 'columns'))
    } catch (error) {
      const message = this.#words(error)
      ctx.response.status(422)
      return await renderColumns(ctx, site, view, { one, error: message })
    }
  }

  /** Saves corrected cells of the preview, and validates all rows again. */
  async correct(ctx: HttpContext): Promise<unknown> {
    const one = await findImport(ctx, this.site, this.view)
    const texts = sentTexts(ctx)
    const isReset = singleText(texts, 'reset') === '1'
    return await this.#checkAgain(ctx, one, isReset ? null : changedCells(one, texts), 'corrected')
  }

  /** @param done  last part of the catalogue key of the message */
  async #checkAgain(
    ctx: HttpContext,
    one: AdminImport,
    changed: ReturnType<typeof changedCells> | null,
    done: 'corrected' | 'correctedFirst'
  ): Promise<unknown> {
    const { site, view } = this
    if (!isOwner(ctx, one)) throw new WithheldPage()
    try {
      await Imports.of(site).correct(one, changed)
      await Imports.of(site).startDryRun(ctx, one)
    } catch (error) {
      return await this.#refuse(ctx, one, error, 422)
    }
    if (!changed?.length) return redirect(ctx, importUrl(view, one))
    return await redirectWithMessage(ctx, importUrl(view, one), {
      kind: 'success',
      text: site.text(`import.trial.${done}`, { count: changed.length }),
    })
  }

  /** Shows an error on the page of the preview, if there still is one. */
  async #refuse(ctx: HttpContext, one: AdminImport, error: unknown, status: number) {
    const { site, view } = this
    const text = this.#words(error)
    if (!one.dryRun) {
      return await redirectWithMessage(ctx, importUrl(view, one), { kind: 'error', text })
    }
    ctx.response.status(status)
    return await renderDryRun(ctx, site, view, { one, error: text })
  }

  /** Sends the invalid rows of the dry run as a file, with the reasons. */
  async invalidRows(ctx: HttpContext): Promise<void> {
    const { site, view } = this
    const one = await findImport(ctx, site, view)
    const { format } = one.shape
    const output = new PassThrough()
    const writing = Imports.of(site).invalidRows(one, output)
    writing.catch((error) => output.destroy(error))
    /* A failure before the first output is shown as an error page. */
    await Promise.race([once(output, 'readable'), writing])
    ctx.response.attachment(`invalid.${format}`, `${view.name}-invalid.${format}`)
    ctx.response.header('content-type', MEDIA_TYPES[format]).stream(output)
  }

  /**
   * Starts the run, and redirects to the page of the job. If the form has corrections that were not checked yet, they
   * are checked instead.
   */
  async run(ctx: HttpContext): Promise<unknown> {
    const { site, view } = this
    const one = await findImport(ctx, site, view)
    const changed = changedCells(one, sentTexts(ctx))
    if (changed.length > 0) return await this.#checkAgain(ctx, one, changed, 'correctedFirst')
    const skipInvalid = singleText(sentTexts(ctx), 'skip_faulty') === '1'
    try {
      const job = await Imports.of(site).startRun(ctx, one, { skipInvalid })
      redirect(ctx, jobUrl(site, job))
    } catch (error) {
      return await this.#refuse(ctx, one, error, 409)
    }
  }

  /** Renders the confirmation page before the import is cancelled. */
  async askDiscard(ctx: HttpContext): Promise<string> {
    const { site, view } = this
    const one = await findImport(ctx, site, view)
    const job = one.jobId === null ? null : await site.jobs.store.find(one.jobId)
    const url = importUrl(view, one)
    return await site.render(ctx, 'pages/confirm', {
      heading: site.text('import.ask.heading', { file: isolated(plainText(one.fileName).text) }),
      note: discardNote(site, one, job),
      action: `${url}/discard`,
      label: site.text('import.discard'),
      isDestructive: true,
      back: url,
      keep: site.text('import.ask.keep'),
    })
  }

  /** Removes the import and the file. */
  async discard(ctx: HttpContext): Promise<void> {
    const { site, view } = this
    const one = await findImport(ctx, site, view)
    await Imports.of(site).discard(ctx, one)
    await redirectWithMessage(ctx, view.url('/import'), {
      kind: 'success',
      text: site.text('import.discarded'),
    })
  }

  async #askAgain(ctx: HttpContext, status: number, error: string): Promise<string> {
    ctx.response.status(status)
    return await renderUpload(ctx, this.site, this.view, { error })
  }

  /** Returns the fields for a template, without keys that are not written. */
  async #fields(ctx: HttpContext) {
    const fields = await Imports.of(this.site).fields(ctx, this.view)
    return fields.filter(({ isOnlyKey }) => !isOnlyKey)
  }

  /** Returns the error of a dry run that failed as a whole. */
  async #errorOf({ jobId }: AdminImport): Promise<string | undefined> {
    if (jobId === null) return undefined
    const job = await this.site.jobs.store.find(jobId)
    return job?.error ?? undefined
  }

  /**
   * Returns the message of an error.
   *
   * @throws the error itself if it is not caused by the file or the form
   */
  #words(error: unknown): string {
    if (!(error instanceof FileError || error instanceof ImportRefused)) throw error
    return this.site.text(error.key, error.data)
  }
}

const MEGABYTE = 1024 * 1024

/** File types in the browser's file dialog */
const ACCEPTED = ['.csv', '.tsv', '.txt', '.json', '.ndjson', '.jsonl', '.xlsx'].join(',')

/**
 * Renders the upload page.
 *
 * @param one    import whose file is replaced
 * @param error  error of the uploaded file
 */
async function renderUpload(
  ctx: HttpContext,
  site: ImportSite,
  view: ModelView,
  { one = null, error }: { one?: AdminImport | null; error?: string } = {}
): Promise<string> {
  const plural = inSentence(view.label)
  const most = MOST_BYTES / MEGABYTE
  const others = await Imports.of(site).unfinished(ctx, view)
  return await site.render(ctx, 'pages/import_file', {
    view,
    title: site.text('import.title', { plural }),
    steps: shownSteps(site, view, one, 'file'),
    error,
    most: { bytes: MOST_BYTES, text: site.text('import.upload.most', { most }) },
    tooLarge: site.text('import.upload.tooLarge', { most }),
    accepted: ACCEPTED,
    fields: await Imports.of(site).fields(ctx, view),
    unfinished: others.map((other) => shownUnfinished(site, view, other)),
    links: {
      list: view.url('/'),
      upload: view.url('/import'),
      template: view.url('/import/template'),
    },
  })
}

function shownUnfinished(site: Site, view: ModelView, one: AdminImport) {
  return {
    id: one.id,
    file: plainText(one.fileName),
    state: site.text(`import.states.${one.state}`),
    created: momentOf(one.createdAt),
    url: importUrl(view, one),
    discard: view.url(`/import/${one.id}/discard`),
  }
}

/** Renders the page of a running dry run. The page refreshes itself, with or without a script. */
async function renderWaiting(
  ctx: HttpContext,
  site: Site & WithLimits & WithJobs,
  view: ModelView,
  one: AdminImport
): Promise<string> {
  const isPart = ctx.request.header('hx-request') !== undefined
  const job = one.jobId === null ? null : await site.jobs.store.find(one.jobId)
  ctx.response.vary('HX-Request')
  return await site.render(ctx, isPart ? 'partials/import_waiting' : 'pages/import_waiting', {
    view,
    title: site.text('import.title', { plural: inSentence(view.label) }),
    steps: shownSteps(site, view, one, 'trial'),
    file: plainText(one.fileName),
    job: job && (await shownJob(site, ctx, job)),
    /* A page that refreshes itself does not count as activity of the user. */
    pollUrl: `${importUrl(view, one)}?poll=1`,
    links: { columns: importUrl(view, one, 'columns'), discard: `${importUrl(view, one)}/discard` },
  })
}
