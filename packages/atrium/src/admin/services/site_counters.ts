import type { ApplicationService } from '@adonisjs/core/types'
import { stores } from '@adonisjs/limiter'
import type { LimiterManagerStoreFactory } from '@adonisjs/limiter/types'
import { countersIn, type Counters } from '#base/counters'
import { withoutSavepoints } from '#upstream/limiter_savepoints'
import type { AdminConfig } from '../define_config.js'
import { SiteRedis } from './site_redis.js'

const TABLE = 'admin_rate_limits'

type Settings = Pick<AdminConfig, 'limiter' | 'adminConnection'>

/**
 * The limiter of logins and requests, as `limiter` of `config/admin.ts` says. [B8, Q8]
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
  const store = stores.database({
    tableName: TABLE,
    connectionName: adminConnection as never,
    clearExpiredByTimeout: true,
  })
  return await withoutSavepoints(store).resolver(app)
}

async function redisStore(app: ApplicationService): Promise<LimiterManagerStoreFactory> {
  const { default: RedisStore } = await import('@adonisjs/limiter/stores/redis')
  const redis = await app.container.make(SiteRedis)
  const connection = await redis.connection()
  const keyPrefix = 'atrium:limiter'
  return (options) => new RedisStore(connection, { keyPrefix, ...options })
}
