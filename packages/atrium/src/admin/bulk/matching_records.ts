import type { HttpContext } from '@adonisjs/core/http'
import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import { countMatching, matchingKeys, Records } from '#crud/internals'
import type { KeyValue } from '#base/columns/key'
import { BulkFailure } from './errors.js'
import { NotAllowed } from '../http/errors.js'
import type { ListParameters } from '../list/list_parameters.js'
import { readList, type ListSite } from '../list/read_list.js'
import { unreadPart } from '../list/empty_state.js'
import type { ModelView } from '../views/model_view.js'
import type { BulkTask } from './bulk_task.js'

/** All records of a list, as the user saw it. */
export interface AllMatching {
  /** Query string of the list */
  query: string
  /** Number of records */
  count: number
}

/**
 * Reads the fields of a body that select all records of a list.
 *
 * @returns null if the body does not select all records
 * @throws BulkFailure 422  for missing or invalid fields
 */
export function readAllMatching(body: Record<string, unknown>): AllMatching | null {
  const { all, ids, query, count } = body
  if (all === undefined) return null
  const isRead = all === true && ids === undefined && typeof query === 'string'
  if (!isRead || !Number.isSafeInteger(count) || Number(count) < 0) {
    throw new BulkFailure(422, 'bulk.all.shape')
  }
  return { query: query as string, count: Number(count) }
}

/**
 * All records of a list, on all pages, for one task: the records that the list would show now, considering filters,
 * search, deletion mode, policy, scope and roles.
 */
export class MatchingRecords {
  private constructor(
    private readonly view: ModelView,
    private readonly parameters: ListParameters,
    private readonly ctx: HttpContext
  ) {}

  /**
   * Reads the query of a list.
   *
   * @param view   view with the permissions of the user's roles
   * @throws BulkFailure 422  for a query with an invalid filter, and for records that the task does not apply to
   * @throws NotAllowed       for users who cannot see the list
   */
  static async read(
    ctx: HttpContext,
    site: ListSite,
    view: ModelView,
    task: BulkTask,
    query: string
  ): Promise<MatchingRecords> {
    if (!(await view.isVisibleTo(ctx))) throw new NotAllowed()
    const parameters = await readList(ctx, site, view, query)
    const unread = unreadPart(site, view, parameters, query)
    if (unread && 'filter' in unread) {
      throw new BulkFailure(422, 'bulk.all.invalidFilter', { error: unread.filter })
    }
    if (unread && 'search' in unread) {
      throw new BulkFailure(422, 'bulk.all.unsearchable', { text: unread.search })
    }
    if (unread) throw new BulkFailure(422, 'bulk.all.viewGone')
    /* The task would fail at the first record that it does not apply to. */
    if (task.deleted !== 'include' && task.deleted !== parameters.deleted) {
      throw new BulkFailure(422, 'bulk.all.mode', { task: task.label })
    }
    return new MatchingRecords(view, parameters, ctx)
  }

  /** Query string of the list, without the saved view */
  get query(): string {
    return this.parameters.wholeQuery
  }

  /**
   * Checks the number of matching records.
   *
   * @throws BulkFailure 409  if the number is not the expected one
   * @throws BulkFailure 422  if there are too many records to check the policy for each
   */
  async expect(expected: number): Promise<void> {
    const found = await countMatching(...this.#requested())
    if (found === null) throw new BulkFailure(422, 'bulk.all.uncounted')
    if (found !== expected) throw changed(expected, found)
  }

  /**
   * Yields the keys, ordered by key, in batches.
   *
   * @param client  client of a transaction
   */
  keys(client?: QueryClientContract): AsyncGenerator<KeyValue[]> {
    return matchingKeys(...this.#requested(client))
  }

  #requested(client?: QueryClientContract): Parameters<typeof countMatching> {
    const options = this.view.callOptions(this.ctx)
    const { conditions, deleted } = this.parameters
    return [
      new Records(this.view.resource),
      { conditions, deleted },
      { ...options, ...(client && { client }) },
    ]
  }
}

/** Returns the failure for a changed number of matching records, with both numbers. */
export function changed(count: number, found: number): BulkFailure {
  return new BulkFailure(409, 'bulk.all.changed', { count, found })
}
