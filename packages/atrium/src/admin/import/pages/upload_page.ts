import type { HttpContext } from '@adonisjs/core/http'
import type { AdminSite } from '../../admin_site.js'
import { momentOf } from '../../time/local_time.js'
import type AdminImport from '../../models/admin_import.js'
import type { ModelView } from '../../views/model_view.js'
import { inSentence, plainText } from '../../text/plain_text.js'
import { MOST_BYTES } from '../import_access.js'
import { Imports } from '../imports.js'
import { shownJob } from '../../jobs/pages/shown_job.js'
import { importUrl, shownSteps } from './import_links.js'

const MEGABYTE = 1024 * 1024

/** Files that a browser offers to choose from */
const ACCEPTED = ['.csv', '.tsv', '.txt', '.json', '.ndjson', '.jsonl', '.xlsx'].join(',')

/**
 * The page that asks for a file. [D3]
 *
 * @param one    the import that another file is chosen instead of
 * @param error  what is wrong with the file that was sent
 */
export async function renderUpload(
  ctx: HttpContext,
  site: AdminSite,
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

function shownUnfinished(site: AdminSite, view: ModelView, one: AdminImport) {
  return {
    id: one.id,
    file: plainText(one.fileName),
    state: site.text(`import.states.${one.state}`),
    created: momentOf(one.createdAt),
    url: importUrl(view, one),
    discard: view.url(`/import/${one.id}/discard`),
  }
}

/**
 * The page of a trial that is under way. It renews itself, with a script or without. [D1, D3]
 */
export async function renderWaiting(
  ctx: HttpContext,
  site: AdminSite,
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
    /* A page that refreshes itself is not activity of its user. [B7] */
    pollUrl: `${importUrl(view, one)}?poll=1`,
    links: { columns: importUrl(view, one, 'columns'), discard: `${importUrl(view, one)}/discard` },
  })
}
