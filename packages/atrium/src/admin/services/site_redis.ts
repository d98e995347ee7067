import type { Logger } from '@adonisjs/core/logger'
import type { RedisConnection, RedisManager } from '@adonisjs/redis'
import type { RedisConnectionConfig } from '@adonisjs/redis/types'
import { reportOnce } from '#upstream/limiter_redis_reports'

/* A login waits for it: a failure should be quick. */
const DEFAULTS = {
  host: '127.0.0.1',
  port: 6379,
  connectTimeout: 2000,
  commandTimeout: 2000,
  maxRetriesPerRequest: 0,
  /* Milliseconds until the next attempt; it never gives up, as the server should come back */
  retryStrategy: (times: number) => Math.min(times * 100, 3000),
}

/**
 * The site's connection to Redis, apart from those of the application. Made on first use.
 */
export class SiteRedis {
  #manager: RedisManager<any> | undefined

  constructor(
    private readonly settings: RedisConnectionConfig,
    private readonly logger: Logger
  ) {}

  /** True once something has asked for the connection */
  get isUsed(): boolean {
    return this.#manager !== undefined
  }

  async connection(): Promise<RedisConnection> {
    const { RedisManager: Manager } = await import('@adonisjs/redis')
    this.#manager ??= this.#make(Manager)
    return this.#manager.connection('site') as RedisConnection
  }

  async close(): Promise<void> {
    await this.#manager?.quitAll()
  }

  #make(Manager: typeof RedisManager): RedisManager<any> {
    const connections = { site: { ...DEFAULTS, ...this.settings } }
    const manager = new Manager<any>({ connection: 'site', connections }, this.logger)
    reportOnce(manager, this.logger)
    return manager
  }
}
