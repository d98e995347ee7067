import type { HttpContext } from '@adonisjs/core/http'
import type { Column } from '#base/columns/column'
import type { ListParameters } from '../list/list_parameters.js'
import { readList, type ListSite } from '../list/read_list.js'
import { sharedColumns } from '../list/summaries/summaries.js'
import type { ModelView } from '../views/model_view.js'
import { MERGED_BY_RULE } from './merge_rule.js'

/* Parameters of the page, in addition to those of its list */
export const COMPARED = 'compare'
export const IGNORES = 'ignore'

export type DuplicateGroup = Awaited<ReturnType<ModelView['crud']['duplicates']>>[number]

/** The duplicates of a list, as found by the page of duplicates and by the job that merges them. */
export interface FoundDuplicates {
  list: ListParameters
  compared: Column[]
  ignoresCase: boolean
  groups: readonly DuplicateGroup[]
  /** Number of records in all groups */
  records: number
  /** Reason why the groups could not be found; null if they were */
  failure: string | null
}

/**
 * Finds the groups of records with equal values in the columns that a query string names.
 *
 * @param view  view with the permissions of the user
 */
export async function findGroups(
  ctx: HttpContext,
  site: ListSite,
  view: ModelView,
  text: string
): Promise<FoundDuplicates> {
  const query = new URLSearchParams(text)
  const list = await readList(ctx, site, view, text)
  const wanted = new Set(query.getAll(COMPARED))
  const compared = sharedColumns(view).filter(({ apiName }) => wanted.has(apiName))
  const ignoresCase = compared.length === 0 || query.get(IGNORES) === '1'
  const found = { list, compared, ignoresCase, groups: [], records: 0, failure: null }
  if (compared.length === 0) return found
  if (list.isUnread) return { ...found, failure: site.text('duplicates.unread') }
  try {
    const columns = compared.map(({ apiName }) => apiName)
    const options = { ...view.callOptions(ctx), columns, ignoresCase }
    const groups = await view.crud.duplicates(list.toRequest(), options)
    return { ...found, groups, records: groups.reduce((sum, { count }) => sum + count, 0) }
  } catch (error) {
    const { message, status } = error as { message: string; status?: number }
    if (status !== 422) throw error
    return { ...found, failure: message }
  }
}

/** Returns true if a group is small enough to be merged by a rule. */
export function isMergedByRule({ count }: DuplicateGroup): boolean {
  return count <= MERGED_BY_RULE.records
}

/** Returns the groups that one job merges. */
export function mergedByRule(groups: readonly DuplicateGroup[]): DuplicateGroup[] {
  return groups.filter(isMergedByRule).slice(0, MERGED_BY_RULE.groups)
}
