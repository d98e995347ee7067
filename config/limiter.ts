import adminConfig from '#config/admin'
import { defineConfig, stores } from '@adonisjs/limiter'
import { withoutSavepoints } from '#crud/database/limiter_store'

const limiterConfig = defineConfig({
  default: 'database',
  stores: {
    /** With the admin's tables, so that all processes count together */
    database: withoutSavepoints(
      stores.database({
        tableName: 'rate_limits',
        connectionName: adminConfig.adminConnection,
        clearExpiredByTimeout: true,
      })
    ),
  },
})

export default limiterConfig

declare module '@adonisjs/limiter/types' {
  export interface LimitersList extends InferLimiters<typeof limiterConfig> {}
}
