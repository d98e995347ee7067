import type { HttpContext } from '@adonisjs/core/http'
import type { AdminSite } from '../../admin_site.js'
import { momentOf } from '../../time/moment.js'
import type AdminImport from '../../models/admin_import.js'
import type { ModelView } from '../../model_view.js'
import { inSentence } from '../../text/in_sentence.js'
import { plainText } from '../../text/plain_text.js'
import { MOST_BYTES } from '../limits.js'
import { importUrl } from './import_urls.js'
import { Imports } from '../imports.js'
import { shownSteps } from './steps.js'

const MEGABYTE = 1024 * 1024

/** Files that a browser offers to choose from */
const ACCEPTED = ['.csv', '.tsv', '.txt', '.json', '.ndjson', '.jsonl', '.xlsx'].join(',')

/**
 * The page that asks for a file. [D3]
 *
 * @param one    the import that another file is chosen instead of
 * @param fault  what is wrong with the file that was sent
 */
export async function renderUpload(
  ctx: HttpContext,
  site: AdminSite,
  view: ModelView,
  { one = null, fault }: { one?: AdminImport | null; fault?: string } = {}
): Promise<string> {
  const plural = inSentence(view.label)
  const most = MOST_BYTES / MEGABYTE
  const others = await Imports.of(site).unfinished(ctx, view)
  return await site.render(ctx, 'pages/import_file', {
    view,
    title: site.text('import.title', { plural }),
    steps: shownSteps(site, view, one, 'file'),
    fault,
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
