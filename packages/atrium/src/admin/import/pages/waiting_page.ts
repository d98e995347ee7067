import type { HttpContext } from '@adonisjs/core/http'
import type { AdminSite } from '../../admin_site.js'
import { shownJob } from '../../jobs/pages/shown_job.js'
import type AdminImport from '../../models/admin_import.js'
import type { ModelView } from '../../model_view.js'
import { plainText } from '../../text/plain_text.js'
import { inSentence } from '../../text/in_sentence.js'
import { importUrl } from './import_urls.js'
import { shownSteps } from './steps.js'

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
    /* A page that asks by itself is not a sign of somebody at work. [B7] */
    pollUrl: `${importUrl(view, one)}?poll=1`,
    links: { columns: importUrl(view, one, 'columns'), discard: `${importUrl(view, one)}/discard` },
  })
}
