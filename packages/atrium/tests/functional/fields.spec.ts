import app from '@adonisjs/core/services/app'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { LucidCrud } from '#crud'
import { Track } from '#tests/fixtures/fields'
import { get } from '#tests/helpers/http'
import { its } from '#tests/helpers/its'
import { queriesOf } from '#tests/helpers/queries'

const ROWS = [
  { id: 1, title: 'Aria', duration: 120, secret: 'sesame', owner: 'anna' },
  { id: 2, title: 'Ballad', duration: null, secret: 'sesame', owner: 'ben' },
  { id: 3, title: 'Canon', duration: 60, secret: 'sesame', owner: 'cleo' },
  { id: 4, title: 'Dirge', duration: 30, secret: 'sesame', owner: 'nobody' },
]

async function dataOf(path: string) {
  const { status, body, text } = await get(`/api/${path}`)
  if (status !== 200) throw new Error(text)
  return body.data ?? body
}

test.group('Fields', (group) => {
  group.tap((one) => one.tags(['@database']))
  group.each.setup(async () => {
    await db.from('tracks').delete()
    await db.table('tracks').multiInsert(ROWS)
    return async () => void (await db.from('tracks').delete())
  })

  test('[Q2] the fields parameter limits the fields of a single item and of the list', async ({
    assert,
  }) => {
    assert.deepEqual(await dataOf('tracks/1?fields=title'), { title: 'Aria' })
    assert.deepEqual(await dataOf('tracks?fields=id,seconds'), [
      { id: 1, seconds: 120 },
      { id: 2, seconds: null },
      { id: 3, seconds: 60 },
    ])
  })

  test('[Q2] fields are returned in the resource’s order without duplicates', async ({
    assert,
  }) => {
    const item = await dataOf('tracks/1?fields=owner,title,id,title')
    assert.deepEqual(Object.entries(item), [
      ['id', 1],
      ['title', 'Aria'],
      ['owner', 'anna'],
    ])
  })

  test('[Q2] fields can be combined with pages, sorts, filters and deleted items', async ({
    assert,
  }) => {
    await db.from('tracks').where('id', 3).update({ deleted_at: '2026-01-01 00:00:00' })
    const query = 'page=1&itemsPerPage=1&sort=-seconds&seconds__gte=1&deleted=include'
    const { body } = await get(`/api/tracks?fields=title&${query}`)
    assert.deepEqual(body, {
      data: [{ title: 'Aria' }],
      total_count: 2,
      has_more: true,
      page: 1,
      items_per_page: 1,
    })
  })

  test('[Q2] a list does not select columns that are not requested', async ({ assert }) => {
    const [list] = await queriesOf(() => get('/api/short-tracks?fields=title&limit=5'))
    const selected = list.slice(0, list.indexOf(' from '))
    assert.include(selected, 'title')
    assert.notInclude(selected, 'duration')
    assert.notInclude(selected, 'owner')
  })

  test('[Q2] fields={$self} is a 422 that lists the available fields')
    .with([
      'nothing',
      '',
      'id,',
      ',id',
      'id,,title',
      'Title',
      'secret',
      'id,secret',
      'duration',
      'tracks.id',
      '*',
      ' id',
      '__proto__',
      'constructor',
      'deletedAt',
    ])
    .run(async ({ assert }, fields) => {
      for (const path of ['tracks', 'tracks/1']) {
        const { status, headers, body } = await get(
          `/api/${path}?fields=${encodeURIComponent(fields)}`
        )
        assert.equal(status, 422)
        assert.match(headers.get('content-type')!, /^application\/problem\+json/)
        assert.equal(body.errors[0].field, 'fields')
        assert.include(body.detail, 'names are id, title, seconds, owner, deleted_at')
        assert.notInclude(body.detail.replace(`"${fields}"`, ''), 'secret,')
      }
    })

  test('[Q2] the error about an unknown name in fields contains that name', async ({ assert }) => {
    const { body } = await get('/api/tracks?fields=id,titel,title')
    assert.include(body.detail, '"titel"')
  })

  test('[Q2, A16] a repeated or nested fields parameter is a 422', async ({ assert }) => {
    for (const query of ['fields=id&fields=title', 'fields[]=id', 'fields[a]=id']) {
      const { status, body } = await get(`/api/tracks?${query}`)
      assert.equal(status, 422, query)
      assert.equal(body.errors[0].field, 'fields')
    }
  })

  test('[Q2, A2] a selectSchema determines the available fields', async ({ assert }) => {
    assert.deepEqual(await dataOf('short-tracks/1?fields=title,seconds'), {
      title: 'Aria',
      seconds: 120,
    })
    const { status, body } = await get('/api/short-tracks/1?fields=owner')
    assert.equal(status, 422)
    assert.include(body.detail, 'names are id, title, seconds')
  })

  test('[Q2, A17] a declared filter with the name fields takes precedence over the parameter', async ({
    assert,
  }) => {
    const data = await dataOf('ledgers?fields=ben')
    assert.lengthOf(data, 1)
    assert.include(data[0], { id: 2, title: 'Ballad' })
    const [counted] = await dataOf('ledgers?count=120')
    assert.equal(counted.id, 1)
  })

  test('[Q2] fields can select computed properties and columns with conversions', async ({
    assert,
  }) => {
    assert.deepEqual(await dataOf('timed-tracks/1'), {
      id: 1,
      title: 'ARIA',
      duration: 120,
      in_minutes: 2,
    })
    assert.deepEqual(await dataOf('timed-tracks/1?fields=in_minutes'), { in_minutes: 2 })
    assert.deepEqual(await dataOf('timed-tracks?fields=title&limit=1'), [{ title: 'ARIA' }])
    assert.deepEqual(await dataOf('timed-tracks?fields=id&limit=1'), [{ id: 1 }])
    const { status } = await get('/api/timed-tracks?fields=minutes')
    assert.equal(status, 422)
  })

  test('[Q2] for a model with a custom serialize, only the requested fields are returned', async ({
    assert,
  }) => {
    assert.deepEqual(await dataOf('self-made-tracks/1'), {
      id: 1,
      title: '"Aria"',
      extra: 'always',
    })
    assert.deepEqual(await dataOf('self-made-tracks/1?fields=title'), { title: '"Aria"' })
    assert.deepEqual(await dataOf('self-made-tracks?fields=title&limit=1'), [{ title: '"Aria"' }])
  })

  test('[Q2, P14] the policy receives the whole record, whatever fields are requested', async ({
    assert,
  }) => {
    assert.deepEqual(await dataOf('tracks/2?fields=title'), { title: 'Ballad' })
    const { status } = await get('/api/tracks/4?fields=title')
    assert.equal(status, 403)
  })

  test('[Q2, A19] strictQuery accepts the parameter fields', async ({ assert }) => {
    app.config.set('crud.strictQuery', true)
    try {
      for (const path of ['tracks', 'tracks/1']) {
        assert.equal(await its(get(`/api/${path}?fields=id`), 'status'), 200)
        const { status, body } = await get(`/api/${path}?feilds=id`)
        assert.equal(status, 422)
        assert.include(body.detail, '"fields"')
      }
    } finally {
      app.config.set('crud.strictQuery', false)
    }
  })

  test('[Q2, P8] application code can pass fields as a text or a list', async ({ assert }) => {
    const tracks = new LucidCrud(Track)
    const { data } = await tracks.getMulti({ fields: ['title', 'id'], limit: 1 })
    assert.deepEqual(data, [{ id: 1, title: 'Aria' }])
    assert.deepEqual(await tracks.get(1, { fields: 'title' }), { title: 'Aria' })
    await assert.rejects(() => tracks.getMulti({ fields: ['nothing'] }), /"nothing"/)
    await assert.rejects(() => tracks.get(1, { fields: new Set(['secret']) }), /"secret"/)
  })
})
