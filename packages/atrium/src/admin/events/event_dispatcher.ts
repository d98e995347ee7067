import { DateTime } from 'luxon'
import logger from '@adonisjs/core/services/logger'
import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import type { Actor, Write, RecordByStatements, WriteObserver } from '#crud'
import type { Origin, SystemActor } from '#base/types'
import type { Dialect } from '#base/database/dialect'
import { dialectOf } from '#base/database/dialects'
import { afterOutermostCommit } from '#base/database/outermost_commit'
import { LONGEST_USERNAME } from '../models/admin_user.js'
import AdminUser from '../models/admin_user.js'
import { contextOfOrigin } from '../identity/admin_actor.js'
import type {
  AdminEvent,
  EventDetails,
  EventRecord,
  RecordChange,
  EventIntegration,
} from './event_integration.js'
import { idOf, recordsOf } from './event_records.js'
import { longActionOf, type PartEvent, type LongAction } from './long_action.js'
import { DatabaseIntegration } from './database_integration.js'
import { noteLogged } from './request_event.js'

type EventActor = Pick<AdminEvent, 'userId' | 'username' | 'sessionId' | 'ipAddress' | 'userAgent'>

/**
 * Returns the actor columns of an event: an admin user, the owner of a token, or the name of a system actor, which
 * contains a colon, unlike user names.
 */
export function eventActor({
  actor,
  origin,
}: {
  actor: Actor
  origin: Origin | undefined
}): EventActor {
  const { id, username } = (actor.user ?? {}) as { id?: unknown; username?: unknown }
  const session = actor.session?.id
  return {
    userId: typeof id === 'number' ? id : null,
    username: actor.kind === 'system' ? nameOf(actor).slice(0, LONGEST_USERNAME) : textOf(username),
    sessionId: origin?.sessionId ?? (typeof session === 'number' ? session : null),
    ipAddress: origin?.ip ?? null,
    userAgent: origin?.userAgent ?? null,
  }
}

/** Returns the event details that describe the actor. */
export function actorDetails(actor: Actor): EventDetails {
  /* User name of the superuser who is signed in as the actor */
  const actsBy = actor.session?.sessionMetadata?.actsAs?.by.username
  return {
    ...(actsBy && { acting_superuser: actsBy }),
    ...(actor.token?.name && { token_name: actor.token.name }),
    ...(isCutShort(actor) && { system_name: actor.name }),
  }
}

/** Returns true if the name of the actor is too long for the log's column. */
function isCutShort(actor: Actor): actor is SystemActor {
  return actor.kind === 'system' && nameOf(actor).length > LONGEST_USERNAME
}

function nameOf({ name }: SystemActor): string {
  return `system: ${name}`
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}

/**
 * Builds the event of an action. The event has the model of the action; records of other models that hooks wrote appear
 * only in `records`.
 *
 * @returns undefined if no records remain
 */
function eventOfWrites(writes: readonly Write[]): AdminEvent | undefined {
  const records = recordsOf(writes)
  if (records.length === 0) return undefined
  const long = longActionOf(writes[0])
  if (long) return long.event(writes[0], records, (model) => eventOf(writes, records, model))
  return eventOf(writes, records).event
}

function eventOf(
  writes: readonly Write[],
  records: EventRecord[],
  resourceType: string = records[0].resourceType
): PartEvent {
  const form = writes[0].origin?.form
  if (form) return { event: eventOfForm(writes, records, form), count: 1 }
  const own = records.find((record) => record.resourceType === resourceType)
  const { resourceId, action } = own ?? records[0]
  const head = writes.filter(({ caused, resource }) => !caused && resource.name === resourceType)
  const written = new Set(head.map(idOf))
  const count = records.filter(
    (record) => record.resourceType === resourceType && written.has(record.resourceId)
  ).length
  const event: AdminEvent = {
    type: action,
    status: 'success',
    timestamp: DateTime.utc(),
    ...eventActor(writes[0]),
    resourceType,
    resourceId: count === 1 ? resourceId : null,
    details: detailsOf(head, action, count, writes[0]),
    records,
  }
  return { event, count }
}

/**
 * Builds the event of a form that writes a record and rows of other models. It is an event of the record, even if only
 * the rows were changed.
 */
function eventOfForm(
  writes: readonly Write[],
  records: EventRecord[],
  { model, id }: NonNullable<Origin['form']>
): AdminEvent {
  const own = records.find(
    ({ resourceType, resourceId }) => resourceType === model && resourceId === id
  )
  const type = own?.action ?? 'UPDATE'
  const head = writes.filter((write) => write.resource.name === model && idOf(write) === id)
  return {
    type,
    status: 'success',
    timestamp: DateTime.utc(),
    ...eventActor(writes[0]),
    resourceType: model,
    resourceId: id,
    details: detailsOf(head, type, 1, writes[0]),
    records,
  }
}

function detailsOf(
  writes: readonly Write[],
  action: RecordChange,
  count: number,
  { actor, origin }: Write
): EventDetails | null {
  const unreported = action === 'UPDATE' && writes.some((write) => write.changesUnreported)
  const isUser = writes[0]?.model === AdminUser
  const details: EventDetails = {
    ...(count > 1 && { count }),
    ...(action === 'DELETE' && writes.some(({ soft }) => soft) && { soft: true }),
    ...(action === 'UPDATE' && writes.some(({ restored }) => restored) && { restored: true }),
    ...(unreported && (isUser ? { password_changed: true } : { hidden_fields_changed: true })),
    ...(origin?.jobId && { job: origin.jobId }),
    ...(origin?.mcpSession && { mcp_session: origin.mcpSession }),
    ...(origin?.action && { action: origin.action }),
    ...(origin?.undoes && { undoes: origin.undoes }),
    ...(origin?.restores && { restores: origin.restores }),
    ...actorDetails(actor),
  }
  return Object.keys(details).length > 0 ? details : null
}

/* Maximum number of pending events, which limits the memory if an integration hangs. */
const MOST_PENDING = 1000

/**
 * Passes events to the site's integration. Only writes whose transaction includes the log wait until an event is
 * logged.
 */
export class EventDispatcher implements WriteObserver {
  readonly #pending = new Set<Promise<unknown>>()
  /** Functions that log by statements, one for each kind of database */
  readonly #recorders = new WeakMap<Dialect, RecordByStatements>()
  readonly #most: number

  constructor(
    readonly integration: EventIntegration | undefined,
    { mostPending = MOST_PENDING } = {}
  ) {
    this.#most = mostPending
  }

  /** Number of events that are being logged */
  get pending(): number {
    return this.#pending.size
  }

  /** True if events are logged */
  get isActive(): boolean {
    return this.integration !== undefined
  }

  /** Returns true if views of the page are logged. */
  logsViewsOf(page: 'list' | 'update' | 'view'): boolean {
    if (!this.isActive) return false
    const { logViews = true } = this.integration!
    return logViews === 'records' ? page !== 'list' : logViews
  }

  /**
   * Logs the writes of an action: in their transaction if the integration takes part in it, otherwise after the commit.
   *
   * @throws  any error of the integration; the writes are then rolled back
   */
  async record(writes: readonly Write[], client: QueryClientContract): Promise<void> {
    const event = this.integration && eventOfWrites(writes)
    if (!event) return
    const action = longActionOf(writes[0])
    if (action) return await this.#recordPart(action, event, client)
    const ctx = contextOfOrigin(writes[0].origin)
    if (this.integration!.isPartOf?.(client)) {
      noteLogged(ctx, await this.integration!.log(event, { client }))
    } else afterOutermostCommit(client, () => noteLogged(ctx, this.log(event)))
  }

  /**
   * Returns the function that logs by statements if the built-in integration logs to the same database as the write;
   * undefined otherwise, and for subclasses that override `log`, which is called instead.
   */
  recordsByStatements(
    client: QueryClientContract,
    by: Parameters<typeof longActionOf>[0]
  ): RecordByStatements | undefined {
    const { integration } = this
    if (!(integration instanceof DatabaseIntegration) || !integration.isPartOf(client)) return
    if (integration.log !== DatabaseIntegration.prototype.log || longActionOf(by)) return
    const dialect = dialectOf(client)
    const known = this.#recorders.get(dialect)
    if (known) return known
    const ofAll: RecordByStatements['ofAll'] = async (actions, run) => {
      const logged = actions.flatMap((writes) => {
        const event = eventOfWrites(writes)
        return event ? [{ event, ctx: contextOfOrigin(writes[0].origin) }] : []
      })
      const events = logged.map(({ event }) => event)
      const ids = await integration.logByStatements(events, dialect, run)
      for (const [index, { ctx }] of logged.entries()) noteLogged(ctx, ids[index])
    }
    const recorder: RecordByStatements = (writes, run) => ofAll([writes], run)
    recorder.ofAll = ofAll
    this.#recorders.set(dialect, recorder)
    return recorder
  }

  /**
   * Logs the end of a long action, with the complete details, even if the action wrote nothing.
   *
   * @param client  client of the transaction that the log takes part in
   */
  async endAction(
    action: LongAction & { end: AdminEvent },
    client: QueryClientContract
  ): Promise<void> {
    if (this.isActive) await this.#recordPart(action, action.end, client)
  }

  /** Logs a part of a long action. All parts are one event. */
  async #recordPart(action: LongAction, event: AdminEvent, client: QueryClientContract) {
    const integration = this.integration!
    const partOf = action.eventId ?? undefined
    if (integration.isPartOf?.(client)) {
      const id = await integration.log(event, { client, partOf })
      if (typeof id === 'number') action.eventId = id
    } else afterOutermostCommit(client, () => action.logAfter((id) => this.log(event, id)))
  }

  /**
   * Logs an event in the background. The returned promise never rejects: failures, and events beyond the maximum number
   * of pending ones, are reported in the application's log.
   */
  log(event: AdminEvent, partOf?: number): Promise<number | void> {
    if (!this.integration) return Promise.resolve()
    if (this.#pending.size >= this.#most) {
      const { type, resourceType } = event
      logger.error(
        { type, resourceType },
        `An event is lost: ${this.#most} others are still being logged`
      )
      return Promise.resolve()
    }
    const logged: Promise<number | void> = this.#log(event, partOf).finally(() =>
      this.#pending.delete(logged)
    )
    this.#pending.add(logged)
    return logged
  }

  /** Waits for pending events, at most for the given time. */
  async settle(milliseconds = 2000): Promise<void> {
    let isOver = false
    let timer: NodeJS.Timeout
    const over = new Promise<void>((resolve) => {
      timer = setTimeout(() => {
        isOver = true
        resolve()
      }, milliseconds)
    })
    while (this.#pending.size > 0 && !isOver) {
      await Promise.race([Promise.all(this.#pending), over])
    }
    clearTimeout(timer!)
  }

  async #log(event: AdminEvent, partOf?: number): Promise<number | void> {
    try {
      return await this.integration!.log(event, partOf === undefined ? {} : { partOf })
    } catch (error) {
      const { type, resourceType } = event
      logger.error({ err: error, type, resourceType }, 'An event could not be logged')
    }
  }
}
