/*
 * ioredis 5.11.1 and @adonisjs/redis 10.0.2 report an error with each try to connect, and the error repeats
 * the command that failed: the one that authenticates contains the password. Everything used here is public.
 * https://github.com/redis/ioredis/issues/1713
 * It can go when the test "an error of ioredis still holds the password" fails.
 */
import { configProvider } from '@adonisjs/core'
import type { Logger } from '@adonisjs/core/logger'
import type { ConfigProvider } from '@adonisjs/core/types'
import type { RedisManager } from '@adonisjs/redis'
import type { LimiterManagerStoreFactory } from '@adonisjs/limiter/types'

/**
 * Logs once when the server becomes unavailable, and once when it is available again. [B8]
 */
export function reportOnce(redis: RedisManager<any>, logger: Logger): void {
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

/** The same for a limiter's Redis store of the application. */
export function withQuietErrors(
  store: ConfigProvider<LimiterManagerStoreFactory>
): ConfigProvider<LimiterManagerStoreFactory> {
  return configProvider.create(async (app) => {
    reportOnce(await app.container.make('redis'), await app.container.make('logger'))
    return await store.resolver(app)
  })
}
