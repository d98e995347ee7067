import adminConfig from '#config/admin'
import { defineConfig, stores } from '@adonisjs/limiter'
import { withQuietErrors } from '#upstream/limiter_redis_reports'
import { withoutSavepoints } from '#upstream/limiter_savepoints'
import env from '#start/env'

/**
 * Where login attempts are counted.
 */
const limiterConfig = defineConfig({
  default: env.get('LIMITER_STORE', 'database'),
  stores: {
    /** With the admin's tables, so that all processes count together */
    database: withoutSavepoints(
      stores.database({
        tableName: 'rate_limits',
        connectionName: adminConfig.adminConnection,
        clearExpiredByTimeout: true,
      })
    ),

    /** For servers without a database in common, too: that of config/redis.ts */
    redis: withQuietErrors(stores.redis({ connectionName: 'main', keyPrefix: 'atrium:limiter' })),

    /** Each process counts for itself, from its start on */
    memory: stores.memory({}),
  },
})

export default limiterConfig

declare module '@adonisjs/limiter/types' {
  export interface LimitersList extends InferLimiters<typeof limiterConfig> {}
}
