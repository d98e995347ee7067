import type { HttpContext } from '@adonisjs/core/http'
import type { AdminSite } from '../../admin_site.js'
import type { ModelView } from '../../model_view.js'
import { referencesOf, titlesIfReadable } from '../../relations/references.js'
import type { Sight, State } from '../pages/comparison.js'
import type { SeesName } from './seen_names.js'

/**
 * Titles of the records that logged states refer to, without those that the viewer may not see. One query for each
 * reference. [R9]
 *
 * @param view  as the viewer's roles leave it
 */
export async function referenceTitles(
  ctx: HttpContext,
  site: AdminSite,
  view: ModelView,
  states: ReadonlyArray<State | null>,
  sees: SeesName
): Promise<NonNullable<Sight['titleOf']>> {
  const titles = new Map<string, Map<string, string>>()
  for (const reference of referencesOf(site, view)) {
    const { apiName } = reference.column
    if (!sees(apiName)) continue
    const logged = states.map((state) => state?.[apiName])
    const values = logged.filter((value) => ['number', 'string'].includes(typeof value))
    titles.set(apiName, await titlesIfReadable(ctx, view, reference, values))
  }
  return (name, value) => titles.get(name)?.get(String(value))
}
