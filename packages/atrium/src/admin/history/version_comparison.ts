import type { HttpContext } from '@adonisjs/core/http'
import { writeJson } from '#base/values/json'
import type { AdminSite } from '../admin_site.js'
import { comparedFields } from '../compare/compared_fields.js'
import { inWords, labelOfLogged, loggedNames, shownValue } from '../event_log/comparison.js'
import { LoggedRelations } from '../event_log/readable_records.js'
import { COMPARE, versionUrl } from '../http/history_urls.js'
import { listQueryIn, withListQuery } from '../http/list_query.js'
import { plainText } from '../text/plain_text.js'
import { momentOf } from '../time/local_time.js'
import type { ModelView } from '../views/model_view.js'
import type { ReadableHistory } from './readable_history.js'
import type { Version } from './version.js'
import { referenceTitles } from './version_fields.js'

/** Returns the ids of the versions to compare, as the form of the history sends them; null for another page. */
export function comparedVersions({ request }: HttpContext): string[] | null {
  const ids = new URLSearchParams(request.parsedUrl.query ?? '').getAll(COMPARE)
  return ids.length > 0 ? ids : null
}

/**
 * Returns two versions side by side, the earlier one first, limited to the fields that the user can see.
 *
 * @param versions  versions of the same record
 */
export async function versionComparison(
  ctx: HttpContext,
  site: AdminSite,
  view: ModelView,
  { key, sees }: ReadableHistory,
  versions: readonly Version[]
) {
  const ordered = versions.toSorted((one, other) => one.row.id - other.row.id)
  const states = ordered.map(({ state }) => state)
  const titleOf = await referenceTitles(ctx, site, view, states, sees)
  const rows = ordered.map(({ row }) => row)
  const relations = await LoggedRelations.find(site, ctx, rows, new Map([[view.name, view]]))
  const names = loggedNames(view, ...states).filter(
    (name) => sees(name) && !relations.withholds(view.name, name)
  )
  const fields = comparedFields(
    states.map((state) =>
      names.map((name) => {
        const value = state[name] ?? null
        const words = relations.wordsOf(view.name, name, value)
        const told = words === undefined ? inWords(site, view, name, value) : words
        const shown = shownValue(site, told, titleOf(name, value))
        return { ...shown, name, label: labelOfLogged(view, name), id: writeJson(value) ?? '' }
      })
    )
  )
  const differing = fields.filter(({ differs }) => differs)
  return {
    fields: [...differing, ...fields.filter(({ differs }) => !differs)],
    count: fields.length,
    differing: differing.length,
    columns: ordered.map(({ event, id, row }) => ({
      title: momentOf(row.timestamp).text,
      href: withListQuery(versionUrl(view, key, id), listQueryIn(ctx)),
      note: event?.username ? plainText(event.username).text : undefined,
      isDeleted: false,
      without: null,
    })),
  }
}
