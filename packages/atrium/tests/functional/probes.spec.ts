import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { call, get } from '#tests/helpers/http'
import { captureLog, ERROR_LEVEL } from '#tests/helpers/captured_log'

const SCHEMA = 'adonis_schema'

test.group('Health probes', () => {
  test('/health/{0} returns 200 to every client')
    .with(['live', 'ready'])
    .run(async ({ assert }, name) => {
      const response = await get(`/health/${name}`)
      assert.equal(response.status, 200)
      assert.deepEqual(response.body, { status: 'ok' })
      assert.equal(response.headers.get('cache-control'), 'no-store')
      assert.isNull(response.headers.get('set-cookie'))
      const head = await call('HEAD', `/health/${name}`)
      assert.equal(head.status, 200)
    })

  test('with a pending migration the process is live but not ready', async ({
    assert,
    cleanup,
  }) => {
    const [row] = await db.from(SCHEMA).orderBy('id', 'desc').limit(1)
    await db.from(SCHEMA).where('id', row.id).delete()
    cleanup(async () => {
      await db.table(SCHEMA).insert(row)
    })

    const response = await get('/health/ready')
    assert.equal(response.status, 503)
    assert.match(response.headers.get('content-type')!, /^application\/problem\+json/)
    assert.equal(response.headers.get('retry-after'), '5')
    assert.deepEqual(response.body, {
      type: 'about:blank',
      title: 'Service Unavailable',
      status: 503,
      detail: 'A database can not be reached, or is not migrated',
    })
    const live = await get('/health/live')
    assert.equal(live.status, 200)
  })

  test('the reason why a process is not ready is logged', async ({ assert, cleanup }) => {
    await db.rawQuery(`alter table ${SCHEMA} rename to ${SCHEMA}_away`)
    cleanup(() => db.rawQuery(`alter table ${SCHEMA}_away rename to ${SCHEMA}`))
    const log = captureLog(cleanup)

    const response = await get('/health/ready')
    assert.equal(response.status, 503)
    assert.notInclude(response.text, SCHEMA)
    assert.isTrue(
      log().some(({ level, err }) => level === ERROR_LEVEL && err?.message.includes(SCHEMA))
    )
  })
})
