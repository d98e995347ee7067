import { createRequire } from 'node:module'
import { test } from '@japa/runner'
import { idleConnectionOf } from '#upstream/tarn_idle_connection'

const { Pool } = createRequire(import.meta.url)('tarn')

const makePool = () =>
  new Pool({ min: 0, max: 1, create: async () => ({ name: 'one' }), destroy: async () => {} })

test.group('Idle connections', () => {
  test('tarn still returns an idle connection only asynchronously', async ({ assert, cleanup }) => {
    const pool = makePool()
    cleanup(() => pool.destroy())
    pool.release(await pool.acquire().promise)
    const { promise } = pool.acquire()
    assert.instanceOf(promise, Promise)
    assert.isUndefined(pool.acquireSync)
    pool.release(await promise)
  })

  test('finds an idle connection immediately, and no used one', async ({ assert, cleanup }) => {
    const pool = makePool()
    cleanup(() => pool.destroy())
    assert.isUndefined(idleConnectionOf(pool))
    const connection = await pool.acquire().promise
    assert.isUndefined(idleConnectionOf(pool))
    pool.release(connection)
    assert.strictEqual(idleConnectionOf(pool), connection)
    assert.isUndefined(idleConnectionOf(undefined))
  })
})
