import type { HttpContext } from '@adonisjs/core/http'
import type { KeyValue } from '#base/columns/key'
import type { Site } from '../views/site.js'
import type { WithDatabase } from '../config/database_config.js'
import { UndoRefused } from '../undo/undo_plan.js'
import { PageNotFound } from '../http/errors.js'
import type { ModelView } from '../views/model_view.js'
import { may } from '../permissions/may.js'
import { recordUrl, recordLinks } from '../http/record_links.js'
import { EventReader } from '../event_log/event_reader.js'
import { shownUndo, type ShownUndo, isOwn, mayRevert, refuseLate } from '../undo/undoable_event.js'
import { remakeUrl } from '../forms/prefill/prefill_urls.js'
import { listQueryIn, withListQuery, parameterIn } from '../http/list_query.js'
import { cutText } from '../list/cell.js'
import type AdminAuditLog from '../models/admin_audit_log.js'
import { isDeletedRecord, itemOf } from '../views/record_items.js'
import { plainText } from '../text/plain_text.js'
import { hasEventLog } from '../events/database_integration.js'
import { mayReadEvents, COMPARE, historyUrl, VERSION, versionUrl } from '../http/event_access.js'
import { readPage, pagesOf } from '../event_log/event_filters.js'
import { statesOf } from '../event_log/comparison.js'
import { LoggedRelations } from '../event_log/readable_records.js'
import { readable, titleInState } from '../event_log/shown_event.js'
import { momentOf } from '../time/local_time.js'
import { type ReadableHistory, readableHistory } from './readable_history.js'
import { type Version, idBefore, versionOf } from './version.js'
import {
  historyEntry,
  versionMark,
  rowEntries,
  comparedVersions,
  referenceTitles,
  versionComparison,
  versionFields,
} from './shown_history.js'
import { redirectWithMessage } from '../http/redirect.js'

/** Options to recover a permanently deleted record. */
interface RecoveryOffer {
  /**
   * Undo of the deletion, which restores the key and everything that was deleted with the record; null if the user is
   * not allowed to undo it
   */
  undo: ShownUndo | null
  /** URL to redirect to after the undo */
  next: string
  /**
   * URL of a create form that is filled in with the record's values; null if the user is not allowed to create
   * records
   */
  remake: string | null
}

/**
 * Returns the recovery options of a deleted record.
 *
 * @param version  version whose values fill in the create form; default: the last one
 * @returns null if the user has no option
 */
async function recoveryOffer(
  ctx: HttpContext,
  site: Site & WithDatabase,
  log: EventReader,
  view: ModelView,
  history: ReadableHistory,
  version?: Version
): Promise<RecoveryOffer | null> {
  const { key } = history
  const last = await log.lastChange(history)
  if (!last || view.adminModel) return null
  const undo = last.newState === null ? await undoOf(ctx, site, log, last.eventId) : null
  const event = version?.row.eventId ?? last.eventId
  const remake = (await may(ctx, view, 'create')) ? remakeUrl(view, key, event) : null
  return undo || remake ? { undo, next: recordUrl(view, key), remake } : null
}

/**
 * Returns the undo of an event. Superusers can undo any event, other users recent ones that they are allowed to undo.
 */
async function undoOf(ctx: HttpContext, site: Site & WithDatabase, log: EventReader, id: number) {
  const event = await log.find(id)
  if (!event || !(isOwn(ctx, event) || (await mayRevert(site, ctx, event)))) return null
  try {
    refuseLate(ctx, event)
  } catch (error) {
    if (error instanceof UndoRefused) return null
    throw error
  }
  return await shownUndo(site, ctx, event)
}

const LONGEST_TITLE = 120

/** The history of a record, for all users who can see the record. */
export class HistoryController {
  readonly #log: EventReader

  constructor(
    private readonly site: Site & WithDatabase,
    private readonly view: ModelView
  ) {
    this.#log = new EventReader(site.dbConfig)
  }

  /**
   * Renders the list of versions, or one version if the query contains one.
   *
   * @throws PageNotFound  without an event log, or a record that the user can see
   */
  async show(ctx: HttpContext): Promise<unknown> {
    const { site, view } = this
    if (!hasEventLog(site)) throw new PageNotFound()
    const history = await readableHistory(ctx, site, this.#log, view)
    const compared = comparedVersions(ctx)
    if (compared) return await this.#compare(ctx, history, compared)
    const event = parameterIn(ctx, VERSION)
    if (event === null) return await this.#list(ctx, history)
    return await this.#version(ctx, history, await versionOf(this.#log, history, event))
  }

  async #list(ctx: HttpContext, history: ReadableHistory): Promise<string> {
    const { site, view } = this
    const { key, sees } = history
    const query = new URLSearchParams(ctx.request.parsedUrl.query ?? '')
    const found = await this.#log.history(history, readPage(query.getAll('page').at(-1)))
    const states = found.rows.flatMap(({ newState, previousState }) => [previousState, newState])
    const titleOf = await referenceTitles(ctx, site, view, states, sees)
    const relations = await LoggedRelations.find(
      site,
      ctx,
      found.rows,
      new Map([[view.name, view]])
    )
    const list = listQueryIn(ctx)
    const url = (page: number) => withListQuery(`${historyUrl(view, key)}?page=${page}`, list)
    const pages = pagesOf(found.total, found.page, url)
    const last = found.page === 1 ? found.rows[0] : await this.#log.lastChange(history)
    const end = pages.next === null ? null : (found.rows.at(-1) ?? null)
    const rows = { number: found.page, last: end }
    const ofRows = await rowEntries(ctx, site, view, this.#log, history, rows)
    const own = found.rows.map((row) => {
      const event = found.events.get(row.eventId)
      const sight = { sees, titleOf, relations }
      const entry = historyEntry(ctx, site, view, key, { row, event, sight })
      return { ...entry, url: entry.url && withListQuery(entry.url, list) }
    })
    return await site.render(ctx, 'pages/history', {
      ...(await this.#head(ctx, history, last)),
      recovery: history.record ? null : await this.#recovery(ctx, history),
      pages,
      ...(pages.next === null && this.#beginning(key, found.rows.at(-1), list)),
      compare: {
        action: historyUrl(view, key),
        name: own.length > 1 ? COMPARE : null,
        list,
      },
      entries: [...own, ...ofRows].sort((one, other) => other.id - one.id),
    })
  }

  /**
   * Returns whether the log begins after the creation of the record, and the URL of the version before the first logged
   * change; null if that version is not known.
   */
  #beginning(key: KeyValue, first: AdminAuditLog | undefined, list: string | null) {
    const isKnown = first?.action === 'UPDATE' && statesOf(first).before !== null
    const url = isKnown && versionUrl(this.view, key, idBefore(first.eventId))
    return {
      begins: first?.action !== 'CREATE',
      beginning: url ? withListQuery(url, list) : null,
    }
  }

  /** Renders two versions side by side; with another number of versions, the list of versions with a message. */
  async #compare(ctx: HttpContext, history: ReadableHistory, ids: readonly string[]) {
    const { site, view } = this
    const own = withListQuery(historyUrl(view, history.key), listQueryIn(ctx))
    if (new Set(ids).size !== 2) {
      const text = site.text('compare.versions.number')
      return await redirectWithMessage(ctx, own, { kind: 'error', text })
    }
    const versions = await Promise.all(ids.map((id) => versionOf(this.#log, history, id)))
    const { title } = await this.#head(ctx, history, versions.at(-1)!.row)
    return await site.render(ctx, 'pages/compare', {
      ...(await versionComparison(ctx, site, view, history, versions)),
      title: site.text('compare.versions.title', { name: title }),
      back: { url: own, text: site.text('events.history.title', { name: title }) },
      same: site.text('compare.versions.none'),
      hasTimes: true,
    })
  }

  async #version(ctx: HttpContext, history: ReadableHistory, version: Version): Promise<string> {
    const { site, view } = this
    const { key } = history
    const { row, event } = version
    const list = listQueryIn(ctx)
    const beside = await this.#log.nextToChange(history, row)
    const isBeginning = version.isBefore && !version.isDeletion
    const to = (id: number | null) => id && withListQuery(versionUrl(view, key, id), list)
    return await site.render(ctx, 'pages/version', {
      ...(await this.#head(ctx, history, row)),
      history: withListQuery(historyUrl(view, key), list),
      version: momentOf(row.timestamp),
      mark: versionMark(site, row, event ?? undefined),
      who: event?.username ? plainText(event.username) : null,
      isDeletion: version.isDeletion,
      isBeginning,
      earlier: isBeginning ? null : to(beside.earlier),
      later: to(isBeginning ? row.eventId : beside.later),
      recovery: history.record ? null : await this.#recovery(ctx, history, version),
      ...(await versionFields(ctx, site, view, history, version)),
    })
  }

  async #recovery(ctx: HttpContext, history: ReadableHistory, version?: Version) {
    return await recoveryOffer(ctx, this.site, this.#log, this.view, history, version)
  }

  /** Returns the title of the record and the link to it. */
  async #head(ctx: HttpContext, history: ReadableHistory, last: AdminAuditLog | null | undefined) {
    const { site, view } = this
    const { key, record, resourceId } = history
    const isDeleted = record !== null && isDeletedRecord(view, record)
    const linkTo = record && (await recordLinks(ctx, view, [key]))
    const href = linkTo && linkTo(key, isDeleted)
    return {
      view,
      title: this.#title(history, last),
      readableKey: plainText(readable(resourceId)).text,
      record: href && withListQuery(href, listQueryIn(ctx)),
      isGone: record === null,
      isDeleted,
      events: mayReadEvents(site, ctx) ? site.url('/management/events') : null,
    }
  }

  #title(
    { key, record, resourceId }: ReadableHistory,
    last: AdminAuditLog | null | undefined
  ): string {
    const { view } = this
    if (record)
      return plainText(cutText(view.titleOf(itemOf(view, record), key), LONGEST_TITLE)).text
    const known = titleInState(view, last?.newState ?? last?.previousState ?? null)
    return plainText(known ?? readable(resourceId), LONGEST_TITLE).text
  }
}
