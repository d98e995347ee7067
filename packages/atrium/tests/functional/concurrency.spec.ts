import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import { LucidCrud } from '#crud'
import { dialectOf } from '#base/database/dialects'
import { Counter, lateCounters } from '#tests/fixtures/crud'
import { del, get, patch, post } from '#tests/helpers/http'
import { insertRow } from '#tests/helpers/databases'

const PATH = '/api/crud-counters'

async function insertCounter(name: string, value = 0): Promise<number> {
  return await insertRow('crud_counters', { name, value })
}

test.group('Concurrent requests', (group) => {
  group.tap((one) => one.tags(['@dialect', '@driver']))
  const counters = new LucidCrud(Counter)
  group.each.setup(async () => void (await db.from('crud_counters').delete()))

  for (const writers of [5, 50]) {
    test(`[P8] ${writers} concurrent read-modify-writes lose no update`, async ({ assert }) => {
      const id = await insertCounter('one')
      const increment = () =>
        db.transaction(async (client) => {
          const item = await counters.get(id, { client, lock: true })
          /* Lets other requests run between the read and the write. */
          await new Promise(setImmediate)
          await counters.update(id, { value: (item!.value as number) + 1 }, { client })
        })
      await Promise.all(Array.from({ length: writers }, increment))
      assert.deepInclude(await counters.get(id), { value: writers })
    })
  }

  test('[P8] of concurrent read-modify-writes, those that are rolled back have no effect', async ({
    assert,
  }) => {
    const id = await insertCounter('one')
    const outcomes = await Promise.allSettled(
      Array.from({ length: 20 }, (_, index) =>
        db.transaction(async (client) => {
          const item = await counters.get(id, { client, lock: true })
          await counters.update(id, { value: (item!.value as number) + 1 }, { client })
          if (index % 2 === 0) throw new Error('undone')
        })
      )
    )
    assert.lengthOf(
      outcomes.filter((outcome) => outcome.status === 'fulfilled'),
      10
    )
    assert.deepInclude(await counters.get(id), { value: 10 })
  })

  test('50 concurrent creates all succeed, each with its own item', async ({ assert }) => {
    const responses = await Promise.all(
      Array.from({ length: 50 }, (_, index) => post(PATH, { name: `name ${index}` }))
    )
    assert.deepEqual(new Set(responses.map((response) => response.status)), new Set([201]))
    assert.equal(new Set(responses.map((response) => response.body.id)).size, 50)
    const list = await get(PATH)
    assert.equal(list.body.total_count, 50)
  })

  test('concurrent requests that read, update and delete different items do not affect each other', async ({
    assert,
  }) => {
    const ids: number[] = []
    for (let index = 0; index < 30; index++) ids.push(await insertCounter(`name ${index}`))
    const responses = await Promise.all(
      ids.flatMap((id, index) => [
        index % 2 === 0 ? patch(`${PATH}/${id}`, { value: index }) : del(`${PATH}/${id}`),
        get(`${PATH}?sort=name`),
      ])
    )
    for (const response of responses) assert.equal(response.status, 200)
    const rows = await db.from('crud_counters').orderBy('id')
    assert.deepEqual(
      rows.map((row) => row.value),
      Array.from({ length: 15 }, (_, index) => index * 2)
    )
  })

  test('[A5] the second of two concurrent deletes is a 404', async ({ assert }) => {
    const id = await insertCounter('one')
    const responses = await Promise.all([del(`${PATH}/${id}`), del(`${PATH}/${id}`)])
    assert.deepEqual(responses.map((response) => response.status).toSorted(), [200, 404])
  })
})

test.group('Requests during an uncommitted write', (group) => {
  group.tap((one) => one.tags(['@dialect', '@driver']))
  group.each.setup(async () => void (await db.from('crud_counters').delete()))

  test('requests read committed data only', async ({ assert }) => {
    const id = await insertCounter('one', 1)
    const trx = await db.transaction()
    try {
      await trx.from('crud_counters').where('id', id).update({ value: 2 })
      await trx.table('crud_counters').insert({ name: 'two', value: 0 })
      const item = await get(`${PATH}/${id}`)
      assert.equal(item.body.value, 1)
      const lists = await Promise.all(Array.from({ length: 20 }, () => get(`${PATH}?name=one`)))
      for (const list of lists) assert.deepEqual(list.body, { data: [item.body], total_count: 1 })
    } finally {
      await trx.commit()
    }
    const list = await get(PATH)
    assert.deepEqual(
      list.body.data.map((item: any) => item.value),
      [2, 0]
    )
  }).timeout(5000)

  test('a second write waits for the uncommitted first one, and reads do not', async ({
    assert,
  }) => {
    const id = await insertCounter('one', 1)
    const trx = await db.transaction()
    await trx.from('crud_counters').where('id', id).update({ value: 2 })
    let isAnswered = false
    const written = patch(`${PATH}/${id}`, { value: 3 }).finally(() => (isAnswered = true))
    const read = await get(`${PATH}/${id}`)
    assert.equal(read.body.value, 1)
    assert.isFalse(isAnswered)
    await trx.commit()
    const response = await written
    assert.equal(response.status, 200)
    const [row] = await db.from('crud_counters')
    assert.equal(row.value, 3)
  }).timeout(5000)
})

test('[P15] concurrent first requests read the table of a resource once', async ({
  assert,
  cleanup,
}) => {
  const dialect = dialectOf(db.connection())
  const { readTable } = dialect
  let reads = 0
  dialect.readTable = (...args) => {
    reads++
    return readTable.apply(dialect, args)
  }
  cleanup(() => void (dialect.readTable = readTable))
  assert.isFalse(lateCounters.resource.isLoaded)

  const responses = await Promise.all([
    get(lateCounters.path),
    get(`${lateCounters.path}/0`),
    post(lateCounters.path, {}),
  ])
  assert.deepEqual(
    responses.map((response) => response.status),
    [200, 404, 422]
  )
  const again = await get(lateCounters.path)
  assert.equal(again.status, 200)
  assert.isTrue(lateCounters.resource.isLoaded)
  assert.equal(reads, 1)
})
