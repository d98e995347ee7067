import { Readable } from 'node:stream'
import type { HttpContext } from '@adonisjs/core/http'
import { crudConfig } from '#crud'
import { isCrossSite, isForeignLink } from '#base/http/cross_site'
import { readBody } from '#base/http/body'
import type { WithLimits } from '../config/define_config.js'
import type { WithJobs } from '../jobs/jobs.js'
import { chosenNames, columnChoices, labelOf } from '../list/columns/column_choices.js'
import type { ListParameters } from '../list/list_parameters.js'
import { readList, type ListSite } from '../list/read_list.js'
import { showPanel } from '../list/saved_views/views_bar.js'
import type { ModelView } from '../views/model_view.js'
import { referencesOf } from '../relations/references.js'
import { isFileFormat, type FILE_FORMATS } from '../sheets/file_shape.js'
import { bulkFormOf, isNavigation } from '../bulk/bulk_form.js'
import { CrossSiteRequest } from '../http/errors.js'
import {
  ExportRefused,
  listPart,
  withSelected,
  mayHaveRaw,
  readExport,
  type ExportQuery,
  checkColumns,
  exportInForm,
  checkFits,
  checkMayExport,
} from './export_choice.js'
import { sentTexts } from '../http/form_texts.js'
import { wantsJson } from '../http/read_body.js'
import { refuseWrites } from '../permissions/view_as_guard.js'
import { fieldsOf } from './export_columns.js'
import { ExportedList } from './exported_list.js'
import { EXPORT_JOB, type ExportPayload } from './export_job.js'
import { sendExport, sendHeaders } from './send_export.js'
import { redirectWithMessage, redirect } from '../http/redirect.js'
import { respondWithJob } from '../jobs/pages/shown_job.js'

/* Formats in order of expected frequency of use */
const OFFERED = ['csv', 'xlsx', 'ndjson', 'json'] as const satisfies (typeof FILE_FORMATS)[number][]

/* Options that are selected when the dialog opens, because most exported files are read by people */
const READABLE = ['labels', 'titles']

/**
 * The dialog of an export: format, columns, and the number of matching records. Without JavaScript it is a separate
 * page.
 */
class ExportDialog {
  constructor(
    private readonly site: ListSite & WithLimits,
    private readonly view: ModelView
  ) {}

  /**
   * Renders the dialog.
   *
   * @param query  query of the list, with the previously selected options
   * @param error  a message, if the export was not possible
   * @throws ExportRefused  for a query with an invalid filter, unless there is a message
   */
  async show(ctx: HttpContext, query: string, error?: string): Promise<string> {
    const { list, hasAllFields, selected } = listPart(query)
    const given = new URLSearchParams(query)
    const parameters = await readList(ctx, this.site, this.view, list, undefined, true)
    const found = error === undefined ? await this.#count(ctx, list, selected) : null
    const { streamed: most } = this.site.exports
    const isLong = found !== null && (found.count === null || found.count > most)
    const format = given.getAll('format').at(-1)
    const shown = this.#shown(parameters)
    return await showPanel(ctx, this.site, {
      title: this.site.text('export.title', { label: this.view.label }),
      content: 'admin/partials/export_form',
      view: this.view,
      error: error ?? null,
      query: selected ? withSelected(parameters.query, selected) : parameters.query,
      back: parameters.url,
      counted: found && this.#countText(found, selected !== null),
      most,
      isLong,
      formats: OFFERED,
      format: isFileFormat(format) ? format : 'csv',
      mode: hasAllFields ? 'all' : 'shown',
      shown,
      fields: fieldsOf(this.view).length,
      columns: this.#columns(shown),
      hasTitles: referencesOf(this.site, this.view).length > 0,
      offersRaw: await mayHaveRaw(ctx, this.site, this.view),
      isOn: (name: string) =>
        given.get(name) === '1' || (!given.has('format') && READABLE.includes(name)),
    })
  }

  async #count(ctx: HttpContext, query: string, selected: readonly string[] | null) {
    const wanted = { query, selected, titles: false, opensDefault: true }
    const list = await ExportedList.read(ctx, this.site, this.view, wanted)
    return { count: await list.count(), isNarrowed: list.isNarrowed }
  }

  #countText(
    { count, isNarrowed }: { count: number | null; isNarrowed: boolean },
    isSelected: boolean
  ): string {
    if (count === null) return this.site.text('export.countUnknown')
    if (isSelected) {
      const key = isNarrowed ? 'export.countSelectedNarrowed' : 'export.countSelected'
      return this.site.text(key, { count })
    }
    if (count === 0) return this.site.text('export.none')
    return this.site.text(isNarrowed ? 'export.countNarrowed' : 'export.count', { count })
  }

  #shown({ shownColumns }: ListParameters): string[] {
    return chosenNames(this.view, shownColumns)
  }

  /** Returns all selectable columns, starting with those of the list. */
  #columns(shown: readonly string[]) {
    const { all } = columnChoices(this.view)
    return [...new Set([...shown, ...all.keys()])].map((name) => ({
      name,
      label: labelOf(this.view, name),
      isShown: shown.includes(name),
    }))
  }
}

/* Maximum length of a query; proxies can reject longer URLs. */
const LONGEST_QUERY = 3500

/** Exports the records of a list: streams them, or starts a job. */
export class ExportController {
  readonly #dialog: ExportDialog

  constructor(
    private readonly site: ListSite & WithLimits & WithJobs,
    private readonly view: ModelView
  ) {
    this.#dialog = new ExportDialog(site, view)
  }

  /** Exports according to the request's URL, or shows the dialog if the URL has no format. */
  async show(ctx: HttpContext): Promise<unknown> {
    const query = ctx.request.parsedUrl.query ?? ''
    if (!new URLSearchParams(query).has('format') && !wantsJson(ctx)) return this.#ask(ctx, query)
    return await this.#orRefuse(ctx, query, () => this.#export(ctx, readExport(query), query))
  }

  /** Exports according to the form of the dialog. */
  async submit(ctx: HttpContext): Promise<unknown> {
    const texts = sentTexts(ctx)
    const query = exportInForm(texts)
    return await this.#orRefuse(ctx, query, async () => {
      checkColumns(texts)
      return await this.#export(ctx, readExport(query), query)
    })
  }

  /**
   * Opens the dialog for the records that were selected in the list's form. Browsers are redirected to the URL of the
   * dialog, unless it would be too long.
   */
  async ofSelected(ctx: HttpContext): Promise<unknown> {
    const query = await this.#selectedQuery(ctx)
    if (query === null) {
      return await redirectWithMessage(ctx, this.view.url('/'), {
        kind: 'error',
        text: this.site.text('export.noneSelected'),
      })
    }
    if (isNavigation(ctx) && query.length < LONGEST_QUERY) return this.#ask(ctx, query)
    return await this.#orRefuse(ctx, query, () => this.#dialog.show(ctx, query))
  }

  /** Parses the body without the application's parser, which truncates forms of more than 1,000 fields. */
  async #selectedQuery(ctx: HttpContext): Promise<string | null> {
    const body = await readBody(ctx, crudConfig().body)
    const { all, ids, next } = await bulkFormOf(ctx, this.site, this.view, body)
    if (all) return String(all.query ?? '')
    if (ids.length === 0) return null
    const [path, list = ''] = next.split('?')
    return withSelected(path === this.view.url('/') ? list : '', ids)
  }

  async dialog(ctx: HttpContext): Promise<unknown> {
    const query = ctx.request.parsedUrl.query ?? ''
    return await this.#orRefuse(ctx, query, () => this.#dialog.show(ctx, query))
  }

  async #export(ctx: HttpContext, wanted: ExportQuery, query: string): Promise<unknown> {
    const { choice, hasAllFields } = wanted
    await checkMayExport(ctx, this.site, this.view, choice.raw)
    const list = await ExportedList.read(ctx, this.site, this.view, {
      query: wanted.list,
      columns: hasAllFields ? 'all' : undefined,
      titles: choice.titles,
      selected: wanted.selected,
      opensDefault: true,
    })
    if (ctx.request.method() === 'HEAD') {
      sendHeaders(ctx, list, choice)
      return ctx.response.stream(Readable.from([]))
    }
    if (choice.format === 'xlsx') {
      return await this.#startJob(ctx, list, wanted, query, await list.count())
    }
    if (isCrossSite(ctx)) throw new CrossSiteRequest()
    const { streamed } = this.site.exports
    const tooMany = await sendExport({ ctx, site: this.site, list, choice }, streamed)
    if (tooMany) await this.#startJob(ctx, list, wanted, query, tooMany.count)
  }

  /** Starts an export job. A cross-site link only opens the dialog. */
  async #startJob(
    ctx: HttpContext,
    { names, parameters, selected }: ExportedList,
    { choice }: ExportQuery,
    query: string,
    total: number | null
  ): Promise<unknown> {
    checkFits(choice.format, total)
    if (isForeignLink(ctx)) return this.#ask(ctx, query)
    refuseWrites(ctx)
    const payload: ExportPayload = {
      ...{ choice, columns: names, selected },
      query: parameters.wholeQuery,
    }
    const job = await this.site.jobs.start(ctx, EXPORT_JOB, {
      model: this.view.name,
      total: total ?? undefined,
      payload: { ...payload },
    })
    respondWithJob(ctx, this.site, job)
  }

  #ask(ctx: HttpContext, query: string) {
    const dialog = this.view.url('/export/dialog') + (query === '' ? '' : `?${query}`)
    redirect(ctx, dialog)
  }

  async #orRefuse(ctx: HttpContext, query: string, work: () => Promise<unknown>): Promise<unknown> {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof ExportRefused)) throw error
      const message = this.site.text(error.key, error.data)
      ctx.response.status(422)
      if (wantsJson(ctx)) return ctx.response.send({ detail: [{ message }] })
      return await this.#dialog.show(ctx, query, message)
    }
  }
}
