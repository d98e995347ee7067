import type { HttpContext } from '@adonisjs/core/http'
import type { ImportSite } from '../dry_run.js'
import type { Site } from '../../views/site.js'
import type { WithLimits } from '../../config/define_config.js'
import type { WithJobs } from '../../jobs/jobs.js'
import { momentOf } from '../../time/local_time.js'
import type AdminImport from '../../models/admin_import.js'
import type { ModelView } from '../../views/model_view.js'
import { inSentence, plainText } from '../../text/plain_text.js'
import { MOST_BYTES } from '../import_access.js'
import { Imports } from '../imports.js'
import { shownJob } from '../../jobs/pages/shown_job.js'
import { importUrl, shownSteps } from './import_links.js'

const MEGABYTE = 1024 * 1024

/** File types in the browser's file dialog */
const ACCEPTED = ['.csv', '.tsv', '.txt', '.json', '.ndjson', '.jsonl', '.xlsx'].join(',')

/**
 * Renders the upload page.
 *
 * @param one    import whose file is replaced
 * @param error  error of the uploaded file
 */
export async function renderUpload(
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
export async function renderWaiting(
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
