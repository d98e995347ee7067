import type { ApplicationService } from '@adonisjs/core/types'
import type { Adapter } from '@boringnode/queue/contracts/adapter'
import { databaseQueue } from '#upstream/queue_cheap_polling'
import type { AdminConfig } from '../define_config.js'
import { SiteRedis } from './site_redis.js'

/** Table of the jobs that wait, next to the admin's other ones */
export const QUEUE_TABLE = 'admin_queue_jobs'

/**
 * The queue of background jobs, as `jobs.store` of `config/admin.ts` says. Only the adapter is the library's: its manager,
 * its job classes and its worker share one configuration in a process, which is the application's. [D1]
 *
 * @param connection  of the admin's own tables
 */
export async function siteQueue(
  app: ApplicationService,
  { store, connection }: { store: AdminConfig['jobs']['store']; connection: string }
): Promise<Adapter> {
  if (store === 'redis') {
    const { redis } = await import('@boringnode/queue/drivers/redis_adapter')
    const site = await app.container.make(SiteRedis)
    const { ioConnection } = await site.connection()
    return redis(ioConnection)()
  }
  const db = await app.container.make('lucid.db')
  return databaseQueue(db.connection(connection).getWriteClient(), QUEUE_TABLE)
}
