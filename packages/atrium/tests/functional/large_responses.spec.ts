import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import app from '@adonisjs/core/services/app'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { LucidCrud } from '#crud'
import { ResponseBudget, bytesInFlight } from '#crud/http/response_budget'
import { weakTag } from '#base/http/etag'
import { LargeArticle } from '#tests/fixtures/large'
import { insertRow } from '#tests/helpers/databases'
import { get, post } from '#tests/helpers/http'

const PATH = '/api/large-articles'
const LIMITS = { text: 5000, response: 2_000_000, responses: 3_000_000 }

async function insert(count: number, article: Record<string, unknown>) {
  for (let i = 0; i < count; i++) await insertRow('large_articles', { title: 'one', ...article })
}

async function settled() {
  for (let i = 0; i < 100 && bytesInFlight() > 0; i++) await sleep(10)
  return bytesInFlight()
}

test.group('Large responses', (group) => {
  group.each.setup(async () => {
    const config = app.config.get<object>('crud')
    app.config.set('crud', { ...config, limits: LIMITS })
    await db.from('large_articles').delete()
    await db.from('large_writers').delete()
    return () => app.config.set('crud', config)
  })

  for (const path of ['large-articles', 'computed-large-articles', 'scoped-large-articles']) {
    test(`[A29] /${path} refuses a response over the limit and suggests a smaller request`, async ({
      assert,
    }) => {
      await insert(21, { body: 'x'.repeat(100_000) })
      const { status, headers, body } = await get(`/api/${path}`)
      assert.equal(status, 413)
      assert.match(headers.get('content-type')!, /^application\/problem\+json/)
      for (const name of ['limit', 'itemsPerPage', 'fields']) assert.include(body.detail, name)

      const fewer = await get(`/api/${path}?limit=19`)
      assert.equal(fewer.status, 200)
      assert.lengthOf(fewer.body.data, 19)
      assert.equal(fewer.body.total_count, 21)
      for (const { body: text } of fewer.body.data) assert.equal(text.length, 100_000)
      assert.equal(await settled(), 0)
    })
  }

  test('[A29] fields that are not requested do not count for the limit', async ({ assert }) => {
    await insert(21, { body: 'x'.repeat(100_000) })
    const { status, body } = await get(`${PATH}?fields=id,title`)
    assert.equal(status, 200)
    assert.lengthOf(body.data, 21)
  })

  test('[Q6] a long list has the same values, order and entity tag as a short one', async ({
    assert,
  }) => {
    const values = [
      { body: 'ä😀"'.repeat(90_000), notes: JSON.stringify({ list: ['n'.repeat(150_000)] }) },
      { body: 'short', raw: Buffer.alloc(150_000, 'é') },
      { body: null, notes: null, raw: null },
      { body: 'z'.repeat(120_000) },
    ]
    for (const [index, value] of values.entries()) await insert(1, { title: `${index}`, ...value })
    const { status, headers, text, body } = await get(`${PATH}?sort=-title&limit=300`)
    assert.equal(status, 200)
    assert.deepEqual(
      body.data.map((item: any) => item.title),
      ['3', '2', '1', '0']
    )
    for (const { id, ...item } of body.data) {
      const one = await get(`${PATH}/${id}`)
      assert.deepEqual({ id, ...item }, one.body)
    }
    assert.equal(body.data[3].body, values[0].body)
    assert.equal(body.data[2].raw, values[1].raw!.toString('base64'))
    assert.equal(headers.get('etag'), weakTag(text))
    assert.equal(Number(headers.get('content-length')), Buffer.byteLength(text))
    const again = await get(`${PATH}?sort=-title&limit=300`, {
      headers: { 'if-none-match': headers.get('etag')! },
    })
    assert.deepEqual([again.status, again.text], [304, ''])
    const refused = await get(`${PATH}?sort=-title&limit=300`, {
      headers: { 'if-match': headers.get('etag')! },
    })
    assert.equal(refused.status, 412)
    assert.equal(await settled(), 0)
  })

  test('[A29, Q3] included records count for the limit, in lists and in items', async ({
    assert,
  }) => {
    const writer = await insertRow('large_writers', { name: 'one' })
    await insert(21, { writer_id: writer, body: 'x'.repeat(100_000) })
    for (const path of ['', `/${writer}`]) {
      const { status, body } = await get(`/api/large-writers${path}?include=articles`)
      assert.equal(status, 413)
      assert.include(body.detail, 'include less')
    }
    await db
      .from('large_articles')
      .where('id', '>', 0)
      .update({ body: 'x'.repeat(80_000) })
    const { status, headers, text, body } = await get(
      `/api/large-writers/${writer}?include=articles`
    )
    assert.equal(status, 200)
    assert.lengthOf(body.articles, 21)
    assert.equal(body.articles[20].body.length, 80_000)
    assert.equal(headers.get('etag'), weakTag(text))
    assert.equal(await settled(), 0)
  })

  test('[A29] a large list waits for the memory budget, and gets a 503 if it stays exhausted; small ones do not wait', async ({
    assert,
    cleanup,
  }) => {
    await insert(15, { body: 'x'.repeat(100_000) })
    const other = new ResponseBudget()
    cleanup(() => other.release())
    await other.reserve(1_900_000)
    const refused = get(PATH)
    const small = await get(`${PATH}?fields=id`)
    assert.equal(small.status, 200)
    const { status, headers, body } = await refused
    assert.equal(status, 503)
    assert.isAbove(Number(headers.get('retry-after')), 0)
    assert.equal(body.detail, 'Too many large responses are being sent; try again')

    const waiting = get(PATH)
    await sleep(100)
    other.release()
    const response = await waiting
    assert.equal(response.status, 200)
    assert.equal(await settled(), 0)
  })

  test('[A29] the memory budget of a response is released when its client disconnects', async ({
    assert,
  }) => {
    await insert(15, { body: 'x'.repeat(100_000) })
    const socket = connect(Number(process.env.PORT), process.env.HOST!)
    await once(socket, 'connect')
    socket.write(`GET ${PATH} HTTP/1.1\r\nHost: x\r\n\r\n`)
    await once(socket, 'readable')
    socket.destroy()
    assert.equal(await settled(), 0)
  })

  test('[S32] a list page reads only as much of a text as its cells show', async ({ assert }) => {
    await insert(2, { body: '😀'.repeat(200_000) })
    const room = new ResponseBudget()
    const crud = new LucidCrud(LargeArticle)
    const { data } = await crud.getMulti({}, { budget: room, cut: 10_001 })
    assert.deepEqual(
      data.map(({ body }) => [...(body as string)].length),
      [10_001, 10_001]
    )
    assert.equal(room.reserved, 0)
  })

  test('[P7] a text column without a length has a limit in a derived schema, and none in an explicit one', async ({
    assert,
  }) => {
    const json = { title: 'one', body: 'x'.repeat(100_001) }
    app.config.set('crud', {
      ...app.config.get<object>('crud'),
      limits: { ...LIMITS, text: 100_000 },
    })
    const { status, body } = await post(PATH, json)
    assert.equal(status, 422)
    assert.deepEqual(
      body.errors.map(({ field, rule }: any) => [field, rule]),
      [['body', 'maxLength']]
    )
    const fitting = await post(PATH, { ...json, body: 'x'.repeat(100_000) })
    assert.equal(fitting.status, 201)
    const own = await post('/api/own-large-articles', json)
    assert.equal(own.status, 201)

    const { body: schema } = await get('/api/openapi.json')
    const { LargeArticleCreate: derived } = schema.components.schemas
    assert.equal(derived.properties.body.maxLength, 100_000)
  })
})
