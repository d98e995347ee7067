import type { HttpContext } from '@adonisjs/core/http'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import { ListRequest, pageOf } from '#crud/internals'
import type { Column } from '#base/columns/column'
import type { Condition } from '#base/columns/condition'
import type { KeyValue } from '#base/columns/key'
import { keyOf } from '#base/items'
import type { ListParameters } from '../list/list_parameters.js'
import type { ModelView } from '../views/model_view.js'
import { isEmptyField, type Merge } from './merge_records.js'
import { readList, type ListSite } from '../list/read_list.js'
import { sharedColumns } from '../list/summaries/summaries.js'

/** Rules that determine which record of each group remains */
export const RULES = ['newest', 'oldest'] as const

export type MergeRule = (typeof RULES)[number]

/** Maximum number of groups that one job merges, and of records in a group that is merged by a rule */
export const MERGED_BY_RULE = { groups: 1000, records: 100 }

export function readRule(text: string | null | undefined): MergeRule | null {
  return RULES.find((rule) => rule === text) ?? null
}

/**
 * Returns the keys of a group's records; the first record is the one that remains.
 *
 * @param rule  null: in the order of the keys
 * @param most  maximum number of keys
 */
export async function keysOfGroup(
  ctx: HttpContext,
  view: ModelView,
  list: ListParameters,
  condition: Condition,
  rule: MergeRule | null,
  most: number
): Promise<KeyValue[]> {
  const { columns, key } = view.resource
  const created = rule && columns.all.find(({ name }) => name === 'created_at')
  const direction = rule === 'newest' ? 'desc' : 'asc'
  const sorts = [...(created ? [created] : []), ...key.columns].map((column) => ({
    column,
    direction: direction as 'asc' | 'desc',
  }))
  const conditions = [...list.conditions, condition]
  const request = new ListRequest(conditions, sorts, pageOf(1, most), list.deleted, {
    count: false,
  })
  const { data } = await view.crud.getMulti(request, { ...view.callOptions(ctx), keys: true })
  return data.map((item) => keyOf(item)!)
}

/** Returns the records that fill empty fields of the first one, by column. */
export function filledFields(
  fields: readonly Column[],
  [first, ...others]: readonly LucidRow[]
): Map<Column, LucidRow> {
  const filled = new Map<Column, LucidRow>()
  for (const field of fields) {
    if (!isEmptyField(field, first)) continue
    const source = others.find((record) => !isEmptyField(field, record))
    if (source) filled.set(field, source)
  }
  return filled
}

/** Returns the merge of records into the first one, whose empty fields get values of the others. */
export function mergeByRule(
  { resource }: ModelView,
  fields: readonly Column[],
  records: readonly LucidRow[]
): Merge {
  const keys = records.map((record) => resource.key.of(record))
  const filled = [...filledFields(fields, records)]
  return {
    keys,
    target: keys[0],
    from: new Map(filled.map(([{ apiName }, source]) => [apiName, resource.key.of(source)])),
    versions: records.map((record) => resource.columns.versionOf(record)),
  }
}

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
