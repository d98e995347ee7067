import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { QueueManager, QueueSchemaService } from '@boringnode/queue'
import app from '@adonisjs/core/services/app'
import emitter from '@adonisjs/core/services/emitter'
import logger from '@adonisjs/core/services/logger'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { JobQueue, siteQueue, type TakenJob } from '#admin/jobs/job_queue'
import { JobWorker } from '#admin/jobs/job_worker'
import Renaming from '#migrations/admin/1790000000140_rename_rate_limits_and_queue'
import { siteCounters, SiteRedis } from '#admin/services/site_redis'
import { ENGINE_TEXTS, siteTexts, unreadFiles } from '#admin/services/site_texts'
import { counters } from '#base/counters'
import { adminSite } from '#tests/helpers/admin'
import { emptyJobTables } from '#tests/helpers/jobs'

const REDIS_URL = process.env.TEST_REDIS_URL

/** A container whose Redis is the server to test with */
function withRedis(cleanup: (callback: () => Promise<void>) => void) {
  const { hostname, port } = new URL(REDIS_URL!)
  const redis = new SiteRedis({ host: hostname, port: Number(port || 6379) }, logger)
  cleanup(() => redis.close())
  return { container: { make: async () => redis } } as unknown as typeof app
}

test.group('Services of the admin site', () => {
  test('[K3] the engine needs no configuration and no provider of {binding}')
    .with([
      { name: 'drive', binding: 'drive.manager' },
      { name: 'i18n', binding: 'i18n' },
      { name: 'limiter', binding: 'limiter.manager' },
      { name: 'queue', binding: 'queue.manager' },
      { name: 'redis', binding: 'redis' },
    ])
    .run(async ({ assert }, { name, binding }) => {
      await adminSite()
      assert.isFalse(app.config.has(name))
      assert.isFalse(app.container.hasBinding(binding))
    })

  test("[K5] the engine does not initialize the queue manager of the application's process", async ({
    assert,
    cleanup,
  }) => {
    const { jobs } = await adminSite()
    await emptyJobTables()
    await jobs.work()
    cleanup(() => jobs.stop())
    await sleep(50)
    assert.isFalse(QueueManager.isInitialized())
  })

  test('[K3, B8] the store of counters is the one that config/admin.ts sets: {limiter}')
    .with([{ limiter: 'memory' as const }, { limiter: 'database' as const }])
    .run(async ({ assert }, { limiter }) => {
      const counted = await siteCounters(app, { limiter, adminConnection: undefined })
      const one = counted.use({ requests: 2, duration: 60 })
      assert.equal(one.name, limiter)
      await one.consume(`of ${limiter}`)
      const shared = counters().use({ requests: 2, duration: 60 })
      const found = await shared.get(`of ${limiter}`)
      assert.equal(found?.consumed, limiter === 'memory' ? undefined : 1)
      await shared.delete(`of ${limiter}`)
    })

  test('[K3, B8] counters and jobs are stored in Redis if limiter and jobs.store are set to redis', async ({
    assert,
    cleanup,
  }) => {
    const there = withRedis(cleanup)
    const counted = await siteCounters(there, { limiter: 'redis', adminConnection: undefined })
    const key = `of ${process.pid} ${Date.now()}`
    const { remaining } = await counted.use({ requests: 2, duration: 1 }).consume(key)
    assert.equal(remaining, 1)

    const queue = new JobQueue(await siteQueue(there, { store: 'redis', connection: 'none' }))
    const ids: number[] = []
    await queue.push(11, 2)
    await queue.push(12, 1)
    const worker = new JobWorker(queue, 1, async ({ id }: TakenJob) => void ids.push(id))
    for (let i = 0; i < 100 && ids.length < 2; i++) await sleep(20)
    await worker.stop()
    assert.deepEqual(ids, [12, 11])
    assert.isNull(await queue.take())
  }).skip(!REDIS_URL && !process.env.CI, 'TEST_REDIS_URL names no Redis server')

  test('[K3, B1] an application can replace single texts, and its i18n emits no missing-translation events for the site', async ({
    assert,
    cleanup,
  }) => {
    const folder = await mkdtemp(join(tmpdir(), 'atrium-texts-'))
    cleanup(() => rm(folder, { recursive: true }))
    await mkdir(join(folder, 'en'))
    await writeFile(join(folder, 'en/admin.json'), '{ "login": { "submit": "Come in" } }')
    const missing: unknown[] = []
    const listener = (event: unknown) => void missing.push(event)
    emitter.on('i18n:missing:translation' as never, listener)
    cleanup(() => emitter.off('i18n:missing:translation' as never, listener))

    const texts = await siteTexts(app, [ENGINE_TEXTS, folder, join(folder, 'none')])
    const english = texts.locale('en')
    assert.equal(english.t('admin.login.submit'), 'Come in')
    const shipped = await siteTexts(app)
    assert.notEqual(shipped.locale('en').t('admin.login.submit'), 'Come in')
    assert.equal(english.t('admin.login.username'), shipped.locale('en').t('admin.login.username'))
    assert.include(english.t('admin.no.such.text'), 'missing')
    await sleep(10)
    assert.isEmpty(missing)
  })

  test('[K3] configuration files of earlier versions that have no effect any more are found', ({
    assert,
  }) => {
    const container = { hasBinding: (name: string) => name === 'redis' }
    const config = { has: (name: string) => ['limiter', 'redis', 'mail'].includes(name) }
    assert.deepEqual(unreadFiles({ config, container } as never), ['config/limiter.ts'])
    assert.deepEqual(unreadFiles(app), [])
  })
})

test.group('Tables of the limiter and the queue', (group) => {
  group.tap((one) => one.tags(['@database']))

  test('[K3] an upgrade renames tables of earlier versions, and leaves jobs of the application unchanged', async ({
    assert,
    cleanup,
  }) => {
    /* A builder runs all its statements each time. */
    const schema = () => db.connection().schema
    const knex = db.connection().getWriteClient()
    await schema().renameTable('admin_rate_limits', 'rate_limits')
    await schema().dropTable('admin_queue_jobs')
    await new QueueSchemaService(knex).createJobsTable('queue_jobs')
    cleanup(async () => {
      await schema().dropTable('queue_jobs')
      await db.from('admin_rate_limits').delete()
      await emptyJobTables()
    })
    await db.table('rate_limits').insert({ key: 'rlflx:jo', points: 3 })
    const job = (id: string, name: string) => ({
      id,
      queue: 'default',
      status: 'pending',
      data: JSON.stringify({ id, name, payload: { id: 7 }, attempts: 0 }),
      score: 1,
    })
    await db.table('queue_jobs').multiInsert([job('one', 'admin_job'), job('two', 'Mail')])

    for (let times = 0; times < 2; times++) {
      await new Renaming(db.connection() as never, 'rename').execUp()
    }
    assert.isFalse(await schema().hasTable('rate_limits'))
    assert.containSubset(await db.from('admin_rate_limits'), [{ key: 'rlflx:jo', points: 3 }])
    const left = await db.from('queue_jobs').select('id')
    assert.deepEqual(left, [{ id: 'two' }])
    const { jobs } = await adminSite()
    const queue = await jobs.queue()
    const taken = await queue.take()
    assert.equal(taken?.id, 7)
  })
})
