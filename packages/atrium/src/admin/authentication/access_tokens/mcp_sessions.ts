import { DateTime } from 'luxon'
import { inUtc } from '#base/values/datetime'
import AdminAuditLog from '../../models/admin_audit_log.js'
import AdminEventLog from '../../models/admin_event_log.js'
import { randomBytes } from 'node:crypto'
import { safeEqual } from '@adonisjs/core/helpers'
import { keyedDigest } from '#base/values/digest'
import type { WithDatabase } from '../../config/database_config.js'
import { counters } from '#base/counters'

/** Milliseconds after which a client has to begin a new session */
const SESSION_LASTS = 24 * 60 * 60_000

/** Maximum length of the id of a session */
const LONGEST = 100

/** A session of an MCP client. */
interface McpSession {
  /** Name of the session in events: the time of its start, and a random part */
  name: string
  /** Start of the session, in milliseconds since 1970 */
  startedAt: number
}

/**
 * Returns the id of a new session. The id is bound to the token, and valid in every process with the same application
 * key, so that no process has to store sessions.
 */
export function newSession(tokenId: number, now = Date.now()): string {
  const name = `${now.toString(36)}-${randomBytes(12).toString('hex')}`
  return `${name}.${signatureOf(name, tokenId)}`
}

/**
 * Returns the session with this id; null if the id belongs to another token, was not issued by the site, or has
 * expired.
 */
export function sessionOf(id: string, tokenId: number, now = Date.now()): McpSession | null {
  if (id.length > LONGEST) return null
  const [name, signature = '', ...rest] = id.split('.')
  if (rest.length > 0 || !safeEqual(signature, signatureOf(name, tokenId))) return null
  const startedAt = startOf(name)
  return now - startedAt > SESSION_LASTS ? null : { name, startedAt }
}

/** Returns the time at which a session began; NaN for a text that is not the name of a session. */
function startOf(name: string): number {
  const [, text] = /^([\da-z]{6,11})-[\da-f]{24}$/.exec(name) ?? []
  return text === undefined ? Number.NaN : Number.parseInt(text, 36)
}

function signatureOf(name: string, tokenId: number): string {
  return keyedDigest(`mcp session ${name} of token ${tokenId}`)
}

/* Tolerance in milliseconds when times are compared, because the database stores them in seconds */
const LEEWAY = 2000

/* Maximum number of sessions on the account page */
const MOST_SESSIONS = 5
const RECENT_EVENTS = 500
const RECENT = { days: 7 }

/**
 * Returns the events of the writes of an MCP session, newest first. Leaves out reverted events, and those with which
 * the session itself reverted its events.
 *
 * @param userId  owner of the session's token; undefined: any
 */
export async function eventsOfSession(
  { dbConfig }: WithDatabase,
  name: string,
  userId?: number
): Promise<AdminEventLog[]> {
  const start = startOf(name)
  if (!Number.isFinite(start)) return []
  const at = (milliseconds: number) => inUtc(DateTime.fromMillis(milliseconds, { zone: 'utc' }))
  const query = AdminEventLog.query({ client: dbConfig.readingSession() })
    .where('status', 'success')
    .where('timestamp', '>=', at(start - LEEWAY))
    .where('timestamp', '<=', at(start + SESSION_LASTS + LEEWAY))
    .whereExists((rows) => {
      rows
        .from(AdminAuditLog.table)
        .whereColumn(`${AdminAuditLog.table}.event_id`, `${AdminEventLog.table}.id`)
    })
    .orderBy('id', 'desc')
  if (userId !== undefined) query.where('userId', userId)
  const events = await query
  const own = events.filter(({ details }) => details?.mcp_session === name)
  const reverted = new Set(events.map(({ details }) => details?.undoes))
  const ids = new Set(own.map(({ id }) => id))
  return own.filter(({ id, details }) => !reverted.has(id) && !ids.has(details?.undoes ?? 0))
}

/** An MCP session with writes, for the account page. */
interface RecentSession {
  name: string
  tokenName: string | null
  startedAt: DateTime
  writes: number
}

/** Returns the latest MCP sessions of the last seven days in which tokens of a user have written records. */
export async function recentSessions(
  { dbConfig }: WithDatabase,
  userId: number
): Promise<RecentSession[]> {
  const events = await AdminEventLog.query({ client: dbConfig.readingSession() })
    .where({ userId, status: 'success' })
    .where('timestamp', '>=', inUtc(DateTime.utc().minus(RECENT)))
    .where('details', 'like', '%"mcp_session"%')
    .orderBy('id', 'desc')
    .limit(RECENT_EVENTS)
  const sessions = new Map<string, RecentSession>()
  for (const { details } of events) {
    const name = details!.mcp_session!
    const known = sessions.get(name)
    if (known) known.writes++
    else if (sessions.size < MOST_SESSIONS) {
      const startedAt = DateTime.fromMillis(startOf(name), { zone: 'utc' })
      sessions.set(name, { name, tokenName: details!.token_name ?? null, startedAt, writes: 1 })
    }
  }
  return [...sessions.values()]
}

const HOUR = 60 * 60

/** Records that a token can write within an hour, until its owner allows more. */
export class WriteBudget {
  constructor(private readonly config: { readonly writesPerHour: number }) {}

  /** Number of records per token and hour */
  get records(): number {
    return this.config.writesPerHour
  }

  /**
   * Deducts records from the budget, before they are written.
   *
   * @returns false if the budget does not suffice; it is unchanged then
   */
  async take(tokenId: number, records: number): Promise<boolean> {
    if (records > this.records) return false
    const counter = this.#counter()
    const { consumed } = await counter.increment(keyOf(tokenId), records)
    if (consumed <= this.records) return true
    await counter.decrement(keyOf(tokenId), records)
    return false
  }

  /** Adds records to the budget that were deducted but not written. */
  async giveBack(tokenId: number, records: number): Promise<void> {
    await this.#counter().decrement(keyOf(tokenId), records)
  }

  /** Returns the number of records that the token can still write. */
  async left(tokenId: number): Promise<number> {
    const found = await this.#counter().get(keyOf(tokenId))
    return Math.max(0, this.records - (found?.consumed ?? 0))
  }

  /** Resets the budget, after the owner of the token has confirmed further writes. */
  async renew(tokenId: number): Promise<void> {
    await this.#counter().delete(keyOf(tokenId))
  }

  #counter() {
    return counters().use({ requests: this.records, duration: HOUR })
  }
}

function keyOf(tokenId: number): string {
  return `mcp:writes:${tokenId}`
}
