import adminConfig from '#config/admin'
import { defineConfig, stores } from '@adonisjs/limiter'
import { withQuietErrors } from '#upstream/limiter_redis_reports'
import { withoutSavepoints } from '#upstream/limiter_savepoints'
import env from '#start/env'

/** The store of the counts of login attempts. */
const limiterConfig = defineConfig({
  default: env.get('LIMITER_STORE', 'database'),
  stores: {
    /** With the admin's tables, so that all processes share the counts */
    database: withoutSavepoints(
      stores.database({
        tableName: 'rate_limits',
        connectionName: adminConfig.adminConnection,
        clearExpiredByTimeout: true,
      })
    ),

    /** For servers without a shared database: that of config/redis.ts */
    redis: withQuietErrors(stores.redis({ connectionName: 'main', keyPrefix: 'atrium:limiter' })),

    /** Each process has its own counts, from its start on */
    memory: stores.memory({}),
  },
})

export default limiterConfig

declare module '@adonisjs/limiter/types' {
  export interface LimitersList extends InferLimiters<typeof limiterConfig> {}
}
