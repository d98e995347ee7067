import db from '@adonisjs/lucid/services/db'
import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import { ROWS_PER_WRITE } from '#base/chunks'
import { readersOf } from '#base/database/sqlite/sqlite_connection'
import { inTransaction } from '#base/database/transaction'
import AdminWebhookDelivery, { type DeliveryState } from '../models/admin_webhook_delivery.js'
import AdminWebhook from '../models/admin_webhook.js'

const TABLE = AdminWebhookDelivery.table
const DAY = 24 * 60 * 60_000

/** Result of an attempt, or of the decision to make none. */
export interface Attempted {
  delivery: AdminWebhookDelivery
  state: DeliveryState
  /** Time of the next attempt, of a pending delivery */
  nextAt?: number
  request: string | null
  status: number | null
  response: string | null
  error: string | null
  duration: number | null
}

/** Reads and writes the deliveries of webhooks. */
export class DeliveryStore {
  client(): QueryClientContract {
    return db.connection(AdminWebhookDelivery.connection)
  }

  /** Returns a client for reads, which on SQLite does not wait for the writer. */
  reading(): QueryClientContract {
    return readersOf(this.client()) ?? this.client()
  }

  /**
   * Assigns deliveries that are due to a worker: for each record only the first waiting one, so that the messages of
   * a record arrive in order.
   *
   * @param until  time after which other workers can take them, if this one was killed
   */
  async take(
    webhookId: number,
    { most, worker, now, until }: { most: number; worker: string; now: number; until: number }
  ): Promise<AdminWebhookDelivery[]> {
    const ids = await this.#due(webhookId, now, most)
    if (ids.length === 0) return []
    await this.client()
      .from(TABLE)
      .whereIn('id', ids)
      .where('state', 'pending')
      .where((free) => free.whereNull('taken_until').orWhere('taken_until', '<=', now))
      .update({ taken_by: worker, taken_until: until })
    return await AdminWebhookDelivery.query({ client: this.client() })
      .whereIn('id', ids)
      .where({ takenBy: worker, takenUntil: until, state: 'pending' })
      .orderBy('id')
  }

  async #due(webhookId: number, now: number, most: number): Promise<number[]> {
    const client = this.reading()
    const rows = await client
      .from(`${TABLE} as own`)
      .where('own.webhook_id', webhookId)
      .where('own.state', 'pending')
      .where('own.next_at', '<=', now)
      .where((free) => free.whereNull('own.taken_until').orWhere('own.taken_until', '<=', now))
      .whereNotExists((earlier) =>
        earlier
          .from(`${TABLE} as earlier`)
          .whereColumn('earlier.webhook_id', 'own.webhook_id')
          .whereColumn('earlier.record_key', 'own.record_key')
          .where('earlier.state', 'pending')
          .whereColumn('earlier.id', '<', 'own.id')
      )
      .orderBy('own.next_at')
      .orderBy('own.id')
      .limit(most)
      .select('own.id as id')
    return rows.map(({ id }) => Number(id))
  }

  /**
   * Stores results of one worker with one statement. If a delivery failed, later deliveries of the same record wait for
   * its next attempt, which is stored in the same transaction.
   */
  async store(results: readonly Attempted[], now: number): Promise<void> {
    const waiting = results.filter(({ nextAt }) => nextAt !== undefined)
    if (waiting.length === 0) return await storeResults(this.client(), results, now)
    await inTransaction(this.client(), async (client) => {
      await storeResults(client, results, now)
      for (const { delivery, nextAt } of waiting) {
        await client
          .from(TABLE)
          .where({ webhook_id: delivery.webhookId, record_key: delivery.recordKey })
          .where('state', 'pending')
          .where('next_at', '<', nextAt!)
          .update({ next_at: nextAt })
      }
    })
  }

  /** Releases deliveries that a stopping worker has not attempted, for other workers. */
  async release(deliveries: readonly AdminWebhookDelivery[]): Promise<void> {
    if (deliveries.length === 0) return
    const ids = deliveries.map(({ id }) => id)
    const values = { taken_by: null, taken_until: null }
    await this.client().from(TABLE).whereIn('id', ids).update(values)
  }

  /** Makes a delivery wait for another attempt, with the same message id. */
  async sendAgain({ id }: AdminWebhookDelivery, now: number): Promise<void> {
    await this.client().from(TABLE).where('id', id).update({
      state: 'pending',
      attempts: 0,
      first_attempt_at: null,
      next_at: now,
      ended_at: null,
    })
  }

  /** Returns a delivery of a webhook, or null. */
  async find(id: number): Promise<AdminWebhookDelivery | null> {
    return await AdminWebhookDelivery.query({ client: this.reading() }).where('id', id).first()
  }

  /** Returns deliveries of a webhook, newest first. */
  async of(webhookId: number, { offset = 0, limit }: { offset?: number; limit: number }) {
    return await AdminWebhookDelivery.query({ client: this.reading() })
      .where('webhookId', webhookId)
      .orderBy('id', 'desc')
      .offset(offset)
      .limit(limit)
  }

  /** Counts deliveries by state: those of a webhook, or of all webhooks if no id is given. */
  async counts(webhookId?: number): Promise<Partial<Record<DeliveryState, number>>> {
    const query = this.reading().from(TABLE).select('state').groupBy('state').count('* as total')
    if (webhookId !== undefined) query.where('webhook_id', webhookId)
    const rows = await query
    return Object.fromEntries(rows.map(({ state, total }) => [state, Number(total)]))
  }

  /**
   * Removes deliveries that ended more than the given number of days ago, and pending ones of removed webhooks.
   *
   * @returns the number of removed deliveries
   */
  async prune(days: number): Promise<number> {
    const oldest = Date.now() - days * DAY
    let removed = 0
    for (;;) {
      const client = this.client()
      const known = client.from(AdminWebhook.table).select('id')
      const rows = await client
        .from(TABLE)
        .where((gone) =>
          gone
            .where((ended) => ended.whereNot('state', 'pending').where('ended_at', '<', oldest))
            .orWhere((orphan) => orphan.where('state', 'pending').whereNotIn('webhook_id', known))
        )
        .select('id')
        .limit(ROWS_PER_WRITE)
      const ids = rows.map(({ id }) => id)
      if (ids.length > 0) await client.from(TABLE).whereIn('id', ids).delete()
      removed += ids.length
      if (ids.length < ROWS_PER_WRITE) return removed
    }
  }
}

async function storeResults(
  client: QueryClientContract,
  results: readonly Attempted[],
  now: number
): Promise<void> {
  const ids = results.map(({ delivery }) => delivery.id)
  const rows = results.map((result) => valuesAfter(result, now))
  const names = Object.keys(rows[0]) as Array<keyof (typeof rows)[number]>
  const values = names.map((name) => {
    const cases = rows.map(() => 'when ? then ?').join(' ')
    const bindings = rows.flatMap((row, index) => [ids[index], row[name]])
    /* The column in `else` gives the values the type of the column. */
    return [name, client.raw(`case id ${cases} else ?? end`, [...bindings, name] as any[])]
  })
  await client
    .from(TABLE)
    .whereIn('id', ids)
    .where('taken_by', results[0].delivery.takenBy!)
    .update({ ...Object.fromEntries(values), taken_by: null, taken_until: null })
}

/** Returns the columns of a delivery after an attempt, or after the decision to make none. */
function valuesAfter({ delivery, state, nextAt, ...sent }: Attempted, now: number) {
  const isAttempt = sent.duration !== null
  return {
    state,
    attempts: delivery.attempts + (isAttempt ? 1 : 0),
    first_attempt_at: delivery.firstAttemptAt ?? (isAttempt ? now : null),
    next_at: nextAt ?? delivery.nextAt,
    ended_at: state === 'pending' ? null : now,
    request: sent.request,
    response_status: sent.status,
    response: sent.response,
    error: sent.error,
    duration: sent.duration,
  }
}
