import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { del, get, patch } from '#tests/helpers/http'

const TABLES = ['utensils', 'letters', 'memos', 'parcels', 'specimens']
const AT = '2026-01-02 03:04:05'

async function clear() {
  for (const table of TABLES) await db.from(table).delete()
}

async function titles(path: string): Promise<string[]> {
  const { status, text, body } = await get(path)
  if (status !== 200) throw new Error(text)
  return body.data.map((item: Record<string, string>) => item.title ?? item.name)
}

/** Titles and count of a list. */
async function listed(path: string) {
  const { body } = await get(path)
  return { titles: await titles(path), count: body.total_count }
}

async function statusOf(path: string): Promise<number> {
  const { status } = await get(path)
  return status
}

test.group('Deleted items | flag and timestamp', (group) => {
  group.tap((one) => one.tags(['@dialect']))
  group.each.setup(async () => {
    await clear()
    const utensil = { description: 'd', category: 'c', price: 1, created_at: AT }
    await db.table('utensils').multiInsert([
      { ...utensil, id: 1, name: 'here', is_deleted: false, deleted_at: null },
      { ...utensil, id: 2, name: 'gone', is_deleted: true, deleted_at: AT },
      /* The flag alone decides. */
      { ...utensil, id: 3, name: 'restored', is_deleted: false, deleted_at: AT },
    ])
    return clear
  })

  test('[A22] deleted items are excluded from lists and their counts', async ({ assert }) => {
    const active = { titles: ['here', 'restored'], count: 2 }
    assert.deepEqual(await listed('/api/utensils'), active)
    assert.deepEqual(await listed('/api/utensils?deleted=exclude'), active)
    assert.deepEqual(await listed('/api/utensils?deleted='), active)
    assert.deepEqual(await listed('/api/utensils?name=gone'), { titles: [], count: 0 })
    const { body } = await get('/api/utensils?limit=0')
    assert.equal(body.total_count, 2)
    const paged = await get('/api/utensils?page=1&itemsPerPage=2')
    assert.include(paged.body, { total_count: 2, has_more: false })
  })

  test('[A22] deleted=include and deleted=only show deleted items in lists', async ({ assert }) => {
    assert.deepEqual(await listed('/api/utensils?deleted=include'), {
      titles: ['here', 'gone', 'restored'],
      count: 3,
    })
    assert.deepEqual(await listed('/api/utensils?deleted=only'), { titles: ['gone'], count: 1 })
    assert.deepEqual(await titles('/api/utensils?deleted=include&sort=-name&limit=2'), [
      'restored',
      'here',
    ])
    assert.deepEqual(await titles('/api/utensils?deleted=only&name=here'), [])
  })

  test('[A22] reading a deleted item is 404, unless deleted includes it', async ({ assert }) => {
    assert.equal(await statusOf('/api/utensils/2'), 404)
    assert.equal(await statusOf('/api/utensils/2?deleted=exclude'), 404)
    assert.equal(await statusOf('/api/utensils/2?deleted=include'), 200)
    assert.equal(await statusOf('/api/utensils/2?deleted=only'), 200)
    assert.equal(await statusOf('/api/utensils/1?deleted=include'), 200)
    assert.equal(await statusOf('/api/utensils/1?deleted=only'), 404)
    const { body } = await get('/api/utensils/2?deleted=only')
    assert.include(body, { name: 'gone', is_deleted: true, deleted_at: AT })
  })

  test("[A22] a deleted item can't be updated", async ({ assert }) => {
    for (const query of ['', '?deleted=include', '?deleted=only']) {
      const { status } = await patch(`/api/utensils/2${query}`, { name: 'changed' })
      assert.equal(status, 404)
    }
    assert.deepEqual(await titles('/api/utensils?deleted=only'), ['gone'])
  })

  test('[A22] db_delete removes deleted items', async ({ assert }) => {
    const { status } = await del('/api/utensils/db_delete/2')
    assert.equal(status, 200)
    assert.deepEqual(await titles('/api/utensils?deleted=include'), ['here', 'restored'])
  })

  test("[A22] responses of the demo's utensils contain the soft-delete columns", async ({
    assert,
  }) => {
    const { body } = await get('/api/utensils/1')
    assert.sameMembers(Object.keys(body), [
      'id',
      'name',
      'description',
      'category',
      'price',
      'sku',
      'last_sold',
      'is_deleted',
      'deleted_at',
      'created_at',
      'updated_at',
    ])
  })

  test('[A22] deleted={$self} is a 422 for a list and for an item')
    .with(['true', 'ONLY', 'all', '1', "only' or 1=1 --", 'constructor', 'only,include'])
    .run(async ({ assert }, value) => {
      for (const path of ['/api/utensils', '/api/utensils/1']) {
        const { status, body } = await get(`${path}?deleted=${encodeURIComponent(value)}`)
        assert.equal(status, 422)
        assert.equal(body.errors[0].field, 'deleted')
      }
    })

  test('[A22] a repeated or nested parameter deleted is a 422 for a list and for an item')
    .with(['deleted=only&deleted=only', 'deleted[]=only'])
    .run(async ({ assert }, query) => {
      assert.equal(await statusOf(`/api/utensils?${query}`), 422)
      assert.equal(await statusOf(`/api/utensils/1?${query}`), 422)
    })
})

test.group('Deleted items | flag alone', (group) => {
  group.tap((one) => one.tags(['@dialect']))
  group.each.setup(async () => {
    await clear()
    await db.table('memos').multiInsert([
      { id: 1, title: 'here', is_deleted: false },
      { id: 2, title: 'gone', is_deleted: true },
      { id: 3, title: 'never asked', is_deleted: null },
    ])
    return clear
  })

  test('[A22] a null flag means not deleted', async ({ assert }) => {
    const active = { titles: ['here', 'never asked'], count: 2 }
    assert.deepEqual(await listed('/api/memos'), active)
    assert.deepEqual(await listed('/api/all-memos?deleted=exclude'), active)
    assert.deepEqual(await listed('/api/all-memos?deleted=only'), { titles: ['gone'], count: 1 })
    assert.lengthOf(await titles('/api/all-memos?deleted=include'), 3)
    assert.equal(await statusOf('/api/memos/3'), 200)
  })

  test('[A22] without showDeleted the parameter deleted is ignored, whatever its value', async ({
    assert,
  }) => {
    for (const query of ['deleted=include', 'deleted=only', 'deleted=x', 'deleted[]=x']) {
      assert.deepEqual(await titles(`/api/memos?${query}`), ['here', 'never asked'], query)
      assert.equal(await statusOf(`/api/memos/2?${query}`), 404, query)
      assert.equal(await statusOf(`/api/memos/1?${query}`), 200, query)
    }
  })
})

test.group('Deleted items | timestamp alone', (group) => {
  group.tap((one) => one.tags(['@dialect']))
  group.each.setup(async () => {
    await clear()
    await db.table('letters').multiInsert([
      { id: 1, title: 'here', deleted_at: null },
      { id: 2, title: 'gone', deleted_at: AT },
    ])
    return clear
  })

  test('[A22] the timestamp alone determines whether an item is deleted', async ({ assert }) => {
    assert.deepEqual(await listed('/api/letters'), { titles: ['here'], count: 1 })
    assert.deepEqual(await listed('/api/letters?deleted=only'), { titles: ['gone'], count: 1 })
    assert.deepEqual(await titles('/api/letters?deleted=include'), ['here', 'gone'])
    assert.equal(await statusOf('/api/letters/2'), 404)
    assert.equal(await statusOf('/api/letters/2?deleted=only'), 200)
    assert.equal(await statusOf('/api/letters/1?deleted=only'), 404)
  })

  test('[A22] an item deleted over HTTP leaves the list immediately', async ({ assert }) => {
    await del('/api/letters/1')
    assert.deepEqual(await listed('/api/letters'), { titles: [], count: 0 })
    assert.deepEqual(await titles('/api/letters?deleted=only'), ['here', 'gone'])
  })
})

test.group('Deleted items | without soft delete', (group) => {
  group.tap((one) => one.tags(['@dialect']))
  group.each.setup(async () => {
    await clear()
    await db.table('specimens').multiInsert([{ label: 'a' }])
    return clear
  })

  test('[A22] without soft delete the parameter deleted has no effect', async ({ assert }) => {
    for (const value of ['only', 'include', 'x']) {
      const { body } = await get(`/api/specimens?deleted=${value}`)
      assert.equal(body.total_count, 1)
    }
  })
})
