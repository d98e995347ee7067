import { setTimeout } from 'node:timers/promises'
import app from '@adonisjs/core/services/app'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { CHOIR_TABLES, WatchedSingers } from '#tests/fixtures/choirs'
import { call, get, urlOf } from '#tests/helpers/http'
import { its } from '#tests/helpers/its'

const NDJSON = 'application/x-ndjson'

async function clear() {
  WatchedSingers.after = undefined
  for (const table of CHOIR_TABLES) await db.from(table).delete()
}

async function addSingers(number: number, more: object = {}) {
  const rows = Array.from({ length: number }, (_, index) => ({
    id: index + 1,
    choir_id: index % 2,
    voice: index % 7,
    ...more,
  }))
  for (let start = 0; start < number; start += 100) {
    await db.table('inc_singers').multiInsert(rows.slice(start, start + 100))
  }
}

async function requested(path: string, accept: string) {
  return await get(`/api/${path}`, { headers: { accept } })
}

/** The items of a response in NDJSON. */
async function linesOf(path: string) {
  const { status, text } = await requested(path, NDJSON)
  if (status !== 200) throw new Error(text)
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line))
}

test.group('Lists as CSV and NDJSON', (group) => {
  group.tap((one) => one.tags(['@database']))
  group.each.setup(async () => {
    await clear()
    return clear
  })

  test('[D5] CSV has a header line and one line per item, as in RFC 4180', async ({ assert }) => {
    const titles = [
      '=1+1',
      "'=x",
      "it's",
      '',
      'a,b',
      'say "x"',
      'two\nlines',
      '-5',
      '@home',
      '+1',
      '＝x',
      '\n=x',
    ]
    await db
      .table('inc_concerts')
      .multiInsert(
        titles.map((title, index) => ({ id: index + 1, title, part: index ? null : '' }))
      )
    const { headers, status, text } = await requested('choir-concerts', 'text/csv')
    assert.equal(status, 200)
    assert.equal(headers.get('content-type'), 'text/csv; charset=utf-8')
    assert.deepEqual(text.split('\r\n'), [
      'id,title,part',
      `1,'=1+1,""`,
      "2,''=x,",
      "3,it's,",
      '4,"",',
      '5,"a,b",',
      '6,"say ""x""",',
      '7,"two\nlines",',
      "8,'-5,",
      "9,'@home,",
      "10,'+1,",
      "11,'＝x,",
      `12,"'\n=x",`,
      '',
    ])
  })

  test('[D5] filters, fields, sort, limit and scope apply as in the list, and numbers stay numbers', async ({
    assert,
  }) => {
    await addSingers(5)
    await db.table('inc_singers').insert({ id: 9, choir_id: 1, voice: 150 })
    await db.table('inc_singers').insert({ id: 10, choir_id: 1, voice: -3 })
    const query = 'choir_id=1&fields=voice,id&sort=-voice'
    assert.equal(
      await its(requested(`choir-singers?${query}`, 'text/csv'), 'text'),
      'id,voice\r\n4,3\r\n2,1\r\n10,-3\r\n'
    )
    assert.deepEqual(await linesOf(`choir-singers?${query}&limit=2`), [
      { id: 4, voice: 3 },
      { id: 2, voice: 1 },
    ])
    assert.equal(
      await its(requested('choir-singers?limit=0', 'text/csv'), 'text'),
      'id,choir_id,voice\r\n'
    )
    assert.equal(await its(requested('choir-singers?choir_id=7', NDJSON), 'text'), '')
  })

  test('[D5] the export contains the whole list in its order, up to limits.export rows', async ({
    assert,
  }) => {
    await addSingers(1203)
    const { body } = await get('/api/choir-singers?sort=voice&limit=1000')
    const lines = await linesOf('choir-singers?sort=voice')
    assert.lengthOf(lines, 1203)
    assert.deepEqual(lines.slice(0, 1000), body.data)
    const { text } = await requested('choir-singers', 'text/csv')
    assert.lengthOf(text.split('\r\n'), 1205)
    for (const [limit, hasMore] of Object.entries({ 1202: 'true', 1203: 'false', 2000: 'false' })) {
      for (const sort of ['id', 'voice']) {
        const { headers } = await requested(`choir-singers?limit=${limit}&sort=${sort}`, 'text/csv')
        assert.equal(headers.get('x-has-more'), hasMore)
      }
    }
    assert.deepEqual(await linesOf('choir-singers?sort=voice&limit=450'), lines.slice(0, 450))

    app.config.set('crud.limits.export', 7)
    try {
      assert.lengthOf(await linesOf('choir-singers'), 7)
      assert.lengthOf(await linesOf('choir-singers?limit=9'), 7)
      const { headers } = await requested('choir-singers', 'text/csv')
      assert.equal(headers.get('x-has-more'), 'true')
    } finally {
      app.config.set('crud.limits.export', 100_000)
    }
  })

  test('[D5, P14] records that the policy refuses are not in a list as CSV or NDJSON', async ({
    assert,
  }) => {
    await addSingers(1203)
    const lines = await linesOf('choir-shy-singers')
    const { body } = await get('/api/choir-shy-singers?limit=1000')
    assert.lengthOf(lines, body.total_count)
    assert.isTrue(lines.every(({ voice }) => voice % 2 === 0))
    const sorted = await linesOf('choir-shy-singers?sort=-voice&limit=600')
    const { body: first } = await get('/api/choir-shy-singers?sort=-voice&limit=600')
    assert.deepEqual(sorted, first.data)
    for (const [limit, hasMore] of [
      [lines.length - 1, 'true'],
      [lines.length, 'false'],
    ]) {
      const { headers } = await requested(
        `choir-shy-singers?sort=-voice&limit=${limit}`,
        'text/csv'
      )
      assert.equal(headers.get('x-has-more'), hasMore)
    }
  })

  test('[D5] the list has the format that Accept prefers, and is JSON by default')
    .with([
      ['text/csv', 'text/csv'],
      ['text/csv;q=0.5, application/json', 'application/json'],
      ['text/csv, application/json;q=0.9', 'text/csv'],
      ['application/json;q=0.1, application/x-ndjson;q=0.2', NDJSON],
      ['*/*', 'application/json'],
      ['text/*', 'text/csv'],
      ['text/html, */*;q=0.1', 'application/json'],
      ['text/csv;q=0, */*;q=0.1', 'application/json'],
    ])
    .run(async ({ assert }, [accept, type]) => {
      const { headers, status } = await requested('choir-singers', accept)
      assert.equal(status, 200)
      assert.equal(headers.get('content-type')!.split(';')[0], type)
      assert.include(headers.get('vary')!, 'Accept')
    })

  test('[D5] an error before the first part of the list is a problem: {$self}')
    .with([
      'offset=1',
      'page=1',
      'itemsPerPage=5',
      'cursor=',
      'count=true',
      'fields=nope',
      'sort=nope',
      'limit=x',
    ])
    .run(async ({ assert }, query) => {
      const { body, headers, status } = await requested(`choir-singers?${query}`, 'text/csv')
      assert.equal(status, 422)
      assert.match(headers.get('content-type')!, /problem\+json/)
      assert.equal(body.errors[0].field, query.split('=')[0])
    })

  test('[D5] an error in the middle of an export closes its connection, and the next request gets a response', async ({
    assert,
  }) => {
    await addSingers(1600)
    let parts = 0
    WatchedSingers.after = () => {
      /* After three parts, the fourth read looks for a row after the last. */
      if (++parts === 5) throw new Error('midway')
    }
    await assert.rejects(() => requested('choir-watched', 'text/csv'))
    assert.equal(parts, 5)
    parts = -100
    for (let round = 0; round < 3; round++) {
      assert.lengthOf(await linesOf('choir-watched'), 1600)
    }
    WatchedSingers.after = () => {
      throw new Error('at once')
    }
    for (let round = 0; round < 3; round++) {
      assert.equal(await its(requested('choir-watched', 'text/csv'), 'status'), 500)
    }
  })

  test('[D5] a list as CSV or NDJSON is a consistent snapshot', async ({ assert }) => {
    await addSingers(600)
    let parts = 0
    WatchedSingers.after = async () => {
      if (++parts > 1) return
      await db.table('inc_singers').insert({ id: 5000, choir_id: 1, voice: 1 })
      await db.from('inc_singers').where('id', 599).delete()
    }
    const lines = await linesOf('choir-watched')
    const ids = lines.map(({ id }) => id)
    assert.lengthOf(ids, 600)
    assert.include(ids, 599)
    assert.notInclude(ids, 5000)
  })

  test('[D5] a second concurrent export of a caller is a 503; small exports and lists are served', async ({
    assert,
  }) => {
    await addSingers(1600)
    const gate = Promise.withResolvers<void>()
    const begun = Promise.withResolvers<void>()
    let reads = 0
    WatchedSingers.after = async () => {
      /* The last rows are read after the place was taken. */
      if (++reads < 4) return
      begun.resolve()
      await gate.promise
    }
    const one = requested('choir-watched', NDJSON)
    await begun.promise
    const { headers, status } = await requested('choir-singers', NDJSON)
    assert.equal(status, 503)
    assert.isAbove(Number(headers.get('retry-after')), 0)
    assert.equal(await its(get('/api/choir-singers'), 'status'), 200)
    assert.equal(await its(requested('choir-singers?limit=1000', NDJSON), 'status'), 200)
    gate.resolve()
    assert.equal(await its(one, 'status'), 200)
    assert.lengthOf(await linesOf('choir-singers'), 1600)
  })

  test('[D5] a client that disconnects ends its export', async ({ assert }) => {
    await addSingers(1203)
    const url = urlOf('/api/choir-watched')
    for (let round = 0; round < 3; round++) {
      const left = new AbortController()
      WatchedSingers.after = () => left.abort()
      await assert.rejects(async () => {
        const response = await fetch(url, { headers: { accept: NDJSON }, signal: left.signal })
        await response.text()
      })
      await setTimeout(50)
    }
    WatchedSingers.after = undefined
    assert.lengthOf(await linesOf('choir-watched'), 1203)
  })

  test('[D5] HEAD of a list as CSV returns the content type and no body', async ({ assert }) => {
    await addSingers(1)
    const { headers, text } = await call('HEAD', '/api/choir-singers', {
      headers: { accept: 'text/csv' },
    })
    assert.equal(headers.get('content-type'), 'text/csv; charset=utf-8')
    assert.equal(text, '')
  })
})
