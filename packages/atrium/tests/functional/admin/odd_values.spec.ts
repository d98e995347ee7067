import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { ODD_ROWS } from '#tests/fixtures/existing_tables'
import { cookiesOf, emptyAdminTables, fakeHashes, makeUser, sendForm } from '#tests/helpers/admin'
import { onSqlite } from '#tests/helpers/databases'
import { formOf } from '#tests/helpers/forms'
import { call, get, patch, post } from '#tests/helpers/http'

test.group('Unusual values written by other programs', (group) => {
  group.tap((one) => one.skip(!onSqlite, 'other databases store one form'))
  let cookie: string

  group.setup(() => fakeHashes())
  group.each.setup(async () => {
    await emptyAdminTables()
    await db.from('odd_records').delete()
    await db.rawQuery(`insert into odd_records values ${ODD_ROWS}`)
    cookie = await cookiesOf(await makeUser('jo'))
  })

  const idsOf = async (query: string) => {
    const { status, body } = await get(`/api/odd-records?${query}`)
    return status === 200 ? body.data.map(({ id }: { id: number }) => id) : status
  }

  test('[A20] unusual stored values have the same representation in a list, an item and CSV', async ({
    assert,
  }) => {
    const { body } = await get('/api/odd-records?sort=id')
    assert.deepEqual(
      body.data.map(({ day, at, price, done }: any) => [day, at, price, done]),
      [
        ['2024-01-04', '2024-01-04 10:00:00', 12.5, true],
        ['2024-01-05', '2024-01-05 00:00:00', '12,5', true],
        ['2024-01-05', '2024-01-05 00:00:00', 3, true],
        ['5.1.2024', 'soon', 'n/a', 'maybe'],
      ]
    )
    for (const item of body.data) {
      const read = await get(`/api/odd-records/${item.id}`)
      assert.deepEqual(read.body, item)
    }
    const csv = await call('GET', '/api/odd-records?sort=id', { headers: { accept: 'text/csv' } })
    assert.include(csv.text, '2,epoch,2024-01-05,2024-01-05 00:00:00,"12,5",true')
    assert.include(csv.text, '4,invalid,5.1.2024,soon,n/a,maybe')
  })

  test('[A18] unusual stored values are found by the value that is displayed: {query}')
    .with([
      { query: 'day=2024-01-05', ids: [2, 3] },
      { query: 'day__gte=2024-01-05', ids: [2, 3] },
      { query: 'at__between=2024-01-04,2024-01-05', ids: [1, 2, 3] },
      { query: 'done=true', ids: [1, 2, 3] },
      { query: 'done=false', ids: [] },
      { query: 'price__gte=3', ids: [1, 3] },
    ])
    .run(async ({ assert }, { query, ids }) => {
      assert.deepEqual(await idsOf(`${query}&sort=id`), ids)
      const [[name, text]] = new URLSearchParams(query)
      const list = await get(`/admin/OddRecord/?filter.${name}=${encodeURIComponent(text)}`, {
        headers: { cookie },
      })
      assert.equal(list.status, 200)
      for (const [id, title] of ['', 'usual', 'epoch', 'texts', 'invalid'].entries()) {
        if (id === 0) continue
        assert.equal(list.text.includes(`>${title}<`), ids.includes(id), `${query} ${title}`)
      }
    })

  test('[Q4] unusual stored values are returned in order by a list with a cursor', async ({
    assert,
  }) => {
    const ids: number[] = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const { body }: any = await get(`/api/odd-records?sort=at&limit=1&cursor=${cursor}`)
      ids.push(...body.data.map(({ id }: any) => id))
      cursor = body.next_cursor
    }
    assert.deepEqual(ids, [1, 2, 3, 4])
  })

  test(
    '[B17] a record with unusual stored values can be opened as a page, a form and a history: {id}'
  )
    .with([{ id: 1 }, { id: 2 }, { id: 3 }, { id: 4 }])
    .run(async ({ assert }, { id }) => {
      const stored = () => db.from('odd_records').where('id', id).first()
      const before = await stored()
      for (const page of [`view/${id}`, `update/${id}`, `history/${id}`]) {
        const { status } = await get(`/admin/OddRecord/${page}`, { headers: { cookie } })
        assert.equal(status, 200, page)
      }
      const { text } = await get(`/admin/OddRecord/update/${id}`, { headers: { cookie } })
      const { action, values } = formOf(text)
      const saved = await sendForm(action, { ...values, title: 'new' }, { cookie })
      assert.equal(saved.status, 303)
      assert.deepEqual(await stored(), { ...before, title: 'new' })
      const history = await get(`/admin/OddRecord/history/${id}`, { headers: { cookie } })
      assert.equal(history.status, 200)
    })

  test('[A3] unusual stored values are unchanged when another field of the record changes', async ({
    assert,
  }) => {
    const before = await db.from('odd_records').orderBy('id')
    for (const { id } of before) {
      const { status } = await patch(`/api/odd-records/${id}`, { title: 'new' })
      assert.equal(status, 200)
    }
    const after = await db.from('odd_records').orderBy('id')
    assert.deepEqual(
      after,
      before.map((row) => ({ ...row, title: 'new' }))
    )
  })

  test(
    '[A20, A3, D4] unusual stored values that are sent back unchanged are accepted with changes of other fields: {name}'
  )
    .with([
      { name: 'PATCH', send: (item: any) => patch(`/api/odd-records/${item.id}`, item) },
      {
        name: 'batch',
        send: (item: any) => post('/api/odd-records/batch', { update: [item] }),
      },
    ])
    .run(async ({ assert }, { send }) => {
      const stored = () => db.from('odd_records').where('id', 4).first()
      const before = await stored()
      const { body } = await get('/api/odd-records/4')
      const refused = await send({ ...body, price: 'another', title: 'new' })
      assert.equal(refused.status, 422)
      const { status, text } = await send({ ...body, title: 'new' })
      assert.equal(status, 200, text)
      assert.deepEqual(await stored(), { ...before, title: 'new' })
    })

  test("[A20, A3] a caller who can't read the item gets a 422 even if an invalid value equals the stored one", async ({
    assert,
  }) => {
    const { body } = await get('/api/odd-records/4')
    const single = await patch('/api/odd-unread/4', { price: body.price })
    const batch = await post('/api/odd-unread/batch', { update: [{ id: 4, price: body.price }] })
    assert.deepEqual([single.status, batch.status], [422, 422])
  })

  test('[L9, L10] unusual stored values do not prevent a change of another field by {name}')
    .with([
      {
        name: 'edit selected',
        send: (headers: Record<string, string>) =>
          call('POST', '/admin/OddRecord/bulk-edit', {
            json: { ids: [1, 2, 3, 4], values: { title: 'new' } },
            headers,
          }),
      },
      {
        name: 'the cell of a list',
        send: async (headers: Record<string, string>) => {
          const path = '/admin/OddRecord/cell/4?field=title'
          const { text } = await get(path, { headers })
          const version = /data-version="(.*?)"/.exec(text)![1]
          return await call('POST', path, {
            body: new URLSearchParams({ title: 'new' }).toString(),
            headers: {
              ...headers,
              'content-type': 'application/x-www-form-urlencoded',
              'if-match': `"${version}"`,
            },
          })
        },
      },
    ])
    .run(async ({ assert }, { send }) => {
      const stored = () => db.from('odd_records').where('id', 4).first()
      const before = await stored()
      const { status, text } = await send({ cookie })
      assert.equal(status, 200, text)
      assert.deepEqual(await stored(), { ...before, title: 'new' })
    })
})
