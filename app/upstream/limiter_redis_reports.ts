import { configProvider } from '@adonisjs/core'
import type { ConfigProvider } from '@adonisjs/core/types'
import type { LimiterManagerStoreFactory } from '@adonisjs/limiter/types'

/**
 * A limiter's store on Redis that says once when the server can't be used, and once when it can again.
 * The client's own reports come with each of its tries, and repeat the command that failed: the one
 * that signs in holds the password. [B8]
 */
export function withQuietErrors(
  store: ConfigProvider<LimiterManagerStoreFactory>
): ConfigProvider<LimiterManagerStoreFactory> {
  return configProvider.create(async (app) => {
    const redis = await app.container.make('redis')
    const logger = await app.container.make('logger')
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
    return await store.resolver(app)
  })
}
