import string from '@adonisjs/core/helpers/string'
import { errors, LimiterResponse } from '@adonisjs/limiter'
import type { LimiterConsumptionOptions, LimiterStoreContract } from '@adonisjs/limiter/types'
import type { QueryClientContract } from '@adonisjs/lucid/types/database'

/** A counter, with the time in milliseconds at which it restarts; null: never */
interface Row {
  points: number
  expire: number | null
}

/** Key prefix of the limiter's stores, which use this table on other databases */
const PREFIX = 'rlflx:'

/**
 * Stores counters in a table of SQLite, with one atomic statement each. The limiter's store for SQLite is not used: it
 * releases the connection inside a savepoint, in which another request's transaction can then begin, and does not wait
 * for the lock of another process. Options with a separate block duration are not supported.
 */
export class SqliteLimiterStore implements LimiterStoreContract {
  readonly name = 'database'
  readonly requests: number
  /** Duration in seconds */
  readonly duration: number
  readonly blockDuration = 0
  /** Keys that are rejected without a query, each with the time in milliseconds at which that ends */
  readonly #blocked = new Map<string, number>()
  readonly #blockedFrom: number

  constructor(
    private readonly client: QueryClientContract,
    private readonly table: string,
    options: LimiterConsumptionOptions
  ) {
    this.requests = options.requests
    this.duration = string.seconds.parse(options.duration)
    this.#blockedFrom = options.inMemoryBlockOnConsumed ?? Infinity
  }

  async consume(key: string | number, amount = 1): Promise<LimiterResponse> {
    const until = this.#blocked.get(String(key)) ?? 0
    if (until > Date.now()) {
      throw new errors.E_TOO_MANY_REQUESTS(this.#response({ points: 0, expire: until }, 0))
    }
    const row = await this.#add(key, Math.max(amount, 0) || 1)
    if (row.points >= this.#blockedFrom) this.#block(String(key), row.expire)
    const response = this.#response(row)
    if (row.points > this.requests) throw new errors.E_TOO_MANY_REQUESTS(response)
    return response
  }

  async increment(key: string | number, amount = 1): Promise<LimiterResponse> {
    return this.#response(await this.#add(key, Math.max(amount, 0) || 1))
  }

  async decrement(key: string | number, amount = 1): Promise<LimiterResponse> {
    const current = await this.get(key)
    if (!current) return await this.set(key, 0)
    if (current.consumed <= 0) return current
    return this.#response(
      await this.#add(key, -Math.min(Math.max(amount, 0) || 1, current.consumed))
    )
  }

  async block(key: string | number, duration: string | number): Promise<LimiterResponse> {
    return await this.set(key, this.requests + 1, duration)
  }

  async set(
    key: string | number,
    requests: number,
    duration: string | number = this.duration
  ): Promise<LimiterResponse> {
    const expire = endOf(string.seconds.parse(duration))
    await this.client.rawQuery(
      `insert or replace into ${this.table} (key, points, expire) values (?, ?, ?)`,
      [PREFIX + key, requests, expire as number]
    )
    return this.#response({ points: requests, expire })
  }

  async delete(key: string | number): Promise<boolean> {
    this.#blocked.delete(String(key))
    return Number(await this.#rowsOf(key).delete()) > 0
  }

  async clear(): Promise<void> {
    this.deleteInMemoryBlockedKeys()
    await this.client.from(this.table).delete()
  }

  deleteInMemoryBlockedKeys(): void {
    this.#blocked.clear()
  }

  async get(key: string | number): Promise<LimiterResponse | null> {
    const row = await this.#rowsOf(key)
      .where((either) => void either.where('expire', '>', Date.now()).orWhereNull('expire'))
      .select('points', 'expire')
      .first()
    return row ? this.#response(row) : null
  }

  async #add(key: string | number, points: number): Promise<Row> {
    const now = Date.now()
    const [row] = await this.client.rawQuery(
      `insert into ${this.table} (key, points, expire) values (?, ?, ?)
        on conflict (key) do update set
          points = case when expire is null or expire > ? then points + excluded.points else excluded.points end,
          expire = case when expire is null or expire > ? then expire else excluded.expire end
        returning points, expire`,
      [PREFIX + key, points, endOf(this.duration) as number, now, now]
    )
    return row
  }

  #rowsOf(key: string | number) {
    return this.client.from(this.table).where('key', PREFIX + key)
  }

  #block(key: string, until: number | null): void {
    const now = Date.now()
    for (const [other, end] of this.#blocked) if (end <= now) this.#blocked.delete(other)
    this.#blocked.set(key, until ?? Infinity)
  }

  #response({ points, expire }: Row, remaining = this.requests - points): LimiterResponse {
    return new LimiterResponse({
      limit: this.requests,
      remaining: Math.max(remaining, 0),
      consumed: points,
      availableIn: expire === null ? 0 : Math.ceil(Math.max(expire - Date.now(), 0) / 1000),
    })
  }
}

/** Returns the end of a duration in seconds that begins now, or null for 0, which means never. */
function endOf(seconds: number): number | null {
  return seconds > 0 ? Date.now() + seconds * 1000 : null
}

/** Removes the counters that ended before a time in milliseconds. */
export async function clearExpired(
  client: QueryClientContract,
  table: string,
  before: number
): Promise<void> {
  await client.from(table).where('expire', '<', before).delete()
}
