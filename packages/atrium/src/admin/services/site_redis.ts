import type { Logger } from '@adonisjs/core/logger'
import type { RedisConnection, RedisManager } from '@adonisjs/redis'
import type { RedisConnectionConfig } from '@adonisjs/redis/types'
import type { ApplicationService } from '@adonisjs/core/types'
import { stores } from '@adonisjs/limiter'
import type { LimiterManagerStoreFactory } from '@adonisjs/limiter/types'
import { countersIn, type Counters } from '#base/counters'
import type { AdminConfig } from '../config/define_config.js'
import { clearExpired, SqliteLimiterStore } from './limiter_table.js'

/* Short timeouts, because a login waits for the result. */
const DEFAULTS = {
  host: '127.0.0.1',
  port: 6379,
  connectTimeout: 2000,
  commandTimeout: 2000,
  maxRetriesPerRequest: 0,
  /*
   * Returns the milliseconds until the next attempt to connect. Attempts never end, because the server is expected to
   * become available again.
   */
  retryStrategy: (times: number) => Math.min(times * 100, 3000),
}

/** The site's connection to Redis, separate from the application's connections. Created on first use. */
export class SiteRedis {
  #manager: RedisManager<any> | undefined

  constructor(
    private readonly settings: RedisConnectionConfig,
    private readonly logger: Logger
  ) {}

  /** True after the connection was first requested */
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

/**
 * Logs once when the server becomes unavailable, and once when it is available again. ioredis would report an error for
 * every attempt to connect, and the error contains the failed command, which can contain the password.
 */
function reportOnce(redis: RedisManager<any>, logger: Logger): void {
  redis.doNotLogErrors()
  redis.on('connection', (connection) => {
    let isReported = false
    connection.on('error', ({ error }) => {
      if (isReported) return
      isReported = true
      const { code, message } = error as { code?: string; message: string }
      logger.error({ reason: message || code }, 'Redis can not be used; it is tried again')
    })
    connection.on('ready', () => {
      if (isReported) logger.info('Redis can be used again')
      isReported = false
    })
  })
}

const TABLE = 'admin_rate_limits'

type Settings = Pick<AdminConfig, 'limiter' | 'adminConnection'>

/**
 * Returns the counters of the limiter for logins and requests, in the store of the setting `limiter` in
 * `config/admin.ts`.
 */
export async function siteCounters(app: ApplicationService, settings: Settings): Promise<Counters> {
  return countersIn(settings.limiter, await storeOf(app, settings))
}

async function storeOf(
  app: ApplicationService,
  { limiter, adminConnection }: Settings
): Promise<LimiterManagerStoreFactory> {
  if (limiter === 'memory') return stores.memory({})
  if (limiter === 'redis') return await redisStore(app)
  return await databaseStore(app, adminConnection)
}

const HOUR = 60 * 60 * 1000

/**
 * Returns the store in a table. Expired counters are removed every five minutes; a failed removal is repeated the next
 * time.
 */
async function databaseStore(
  app: ApplicationService,
  connectionName: string | undefined
): Promise<LimiterManagerStoreFactory> {
  const db = await app.container.make('lucid.db')
  const client = () => db.connection(connectionName)
  const clear = () => void clearExpired(client(), TABLE, Date.now() - HOUR).catch(() => {})
  const timer = setInterval(clear, HOUR / 12).unref()
  app.terminating(() => clearInterval(timer))
  const { name } = client().dialect
  if (name === 'sqlite3' || name === 'better-sqlite3') {
    return (options) => new SqliteLimiterStore(client(), TABLE, options)
  }
  return await stores
    .database({ tableName: TABLE, connectionName: connectionName as never })
    .resolver(app)
}

async function redisStore(app: ApplicationService): Promise<LimiterManagerStoreFactory> {
  const { default: RedisStore } = await import('@adonisjs/limiter/stores/redis')
  const redis = await app.container.make(SiteRedis)
  const connection = await redis.connection()
  const keyPrefix = 'atrium:limiter'
  return (options) => new RedisStore(connection, { keyPrefix, ...options })
}
