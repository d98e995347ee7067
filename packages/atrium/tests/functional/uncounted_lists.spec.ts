import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import fc from 'fast-check'
import { LucidCrud } from '#crud'
import { Memo } from '#tests/fixtures/lists'
import { get } from '#tests/helpers/http'
import { queriesOf } from '#tests/helpers/queries'
import { runs } from '#tests/helpers/random_runs'

const COUNT = 25

async function list(query: string) {
  const { status, body, text } = await get(`/api/memos?${query}`)
  if (status !== 200) throw new Error(text)
  return body
}

test.group('Uncounted lists', (group) => {
  group.tap((one) => one.tags(['@database']))
  group.setup(async () => {
    await db.from('memos').delete()
    const memos = Array.from({ length: COUNT }, (_, index) => ({ title: `memo ${index}` }))
    await db.table('memos').multiInsert(memos)
    return async () => void (await db.from('memos').delete())
  })

  test('[Q5] count=false omits total_count and runs no count query', async ({ assert }) => {
    let body: any
    const statements = await queriesOf(async () => {
      body = await list('count=false&page=2&itemsPerPage=10')
    })
    assert.deepEqual(Object.keys(body), ['data', 'has_more', 'page', 'items_per_page'])
    assert.include(body, { has_more: true, page: 2, items_per_page: 10 })
    assert.lengthOf(body.data, 10)
    assert.lengthOf(statements, 1)
    assert.notInclude(statements[0], 'count(')
  })

  test('[Q5] has_more is returned for offset and limit, too', async ({ assert }) => {
    const body = await list('count=false&offset=20&limit=5')
    assert.deepEqual(Object.keys(body), ['data', 'has_more'])
    assert.isFalse(body.has_more)
    assert.lengthOf(body.data, 5)
  })

  test('[Q5] has_more and the items are the same as with a count', async ({ assert }) => {
    const number = fc.integer({ min: 1, max: 30 })
    await fc.assert(
      fc.asyncProperty(number, number, async (page, size) => {
        const query = `page=${page}&itemsPerPage=${size}&sort=-title`
        const { total_count: total, ...counted } = await list(query)
        assert.equal(total, COUNT)
        assert.deepEqual(await list(`${query}&count=false`), counted)
      }),
      { numRuns: runs(40) }
    )
  })

  test('[Q5, A10] limit=0 returns has_more', async ({ assert }) => {
    assert.deepEqual(await list('count=false&limit=0'), { data: [], has_more: true })
    assert.deepEqual(await list('count=false&limit=0&offset=25'), { data: [], has_more: false })
  })

  test('[Q5, A13] reading one row more for has_more does not exceed the maximum', async ({
    assert,
  }) => {
    const body = await list('count=false&limit=5000')
    assert.lengthOf(body.data, COUNT)
    assert.isFalse(body.has_more)
  })

  test('[Q5, S2] count=true, or no count parameter, returns the total_count of the list', async ({
    assert,
  }) => {
    assert.deepEqual(await list('count=true&page=1'), await list('page=1'))
    assert.deepEqual(Object.keys(await list('count=true')), ['data', 'total_count'])
  })

  test('[Q5] the query {$self} is a 422')
    .with(['count=', 'count', 'count=0', 'count=False', 'count=no', 'count=false&count=false'])
    .run(async ({ assert }, query) => {
      const { status, body } = await get(`/api/memos?${query}`)
      assert.equal(status, 422)
      assert.equal(body.errors[0].field, 'count')
    })

  test('[Q5, P8] application code can omit the count', async ({ assert }) => {
    const memos = new LucidCrud(Memo)
    const uncounted = await memos.getMulti({ count: false, limit: 3 })
    assert.sameMembers(Object.keys(uncounted), ['data', 'has_more'])
    assert.isTrue(uncounted.has_more)
    const counted = await memos.getMulti({ limit: 3 })
    assert.sameMembers(Object.keys(counted), ['data', 'total_count'])
  })
})
