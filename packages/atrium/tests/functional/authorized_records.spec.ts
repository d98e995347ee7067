import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { LucidCrud, resources } from '#crud'
import { MOST_AUTHORIZED } from '#crud/operations/lists/allowed_records'
import { Patient, TABLES } from '#tests/fixtures/authorized_records'
import { cookiesOf, emptyAdminTables, fakeHashes, makeUser, sendForm } from '#tests/helpers/admin'
import { call, get } from '#tests/helpers/http'
import { ago, emptyEventTables, logEvent } from '#tests/helpers/logged_events'
import { queriesOf } from '#tests/helpers/queries'

const API = '/api/judged-patients'
const HIDDEN = 2
const PHOTO = `${'a'.repeat(32)}.png`

const names = ({ body }: { body: any }): string[] => body.data.map(({ name }: any) => name)

async function empty() {
  for (const table of TABLES) await db.from(table).delete()
}

/** Inserts three records, one of which may not be seen, with every kind of relation. */
async function fill() {
  await db.table('judged_wards').multiInsert([
    { id: 1, name: 'North' },
    { id: 2, name: 'South' },
  ])
  const today = ago()
  await db.table('judged_patients').multiInsert([
    { id: 1, name: 'Ann', confidential: false, ward_id: 1, created_at: today },
    {
      id: HIDDEN,
      name: 'Hushed Harriet',
      amount: 4711,
      confidential: true,
      ward_id: 2,
      photo: PHOTO,
      created_at: today,
    },
    { id: 3, name: 'Zed', confidential: false, ward_id: 1, created_at: today },
  ])
  await db.table('judged_visits').multiInsert([
    { ward_id: 1, patient_id: 1 },
    { ward_id: 1, patient_id: HIDDEN },
    { ward_id: 2, patient_id: HIDDEN },
    { ward_id: 2, patient_id: 1 },
  ])
  await db.table('judged_stays').multiInsert([
    { id: 1, patient_id: HIDDEN },
    { id: 2, patient_id: 1 },
  ])
}

test.group('Records that the policy refuses', (group) => {
  let cookie: string

  group.setup(() => fakeHashes())
  group.each.setup(async () => {
    await emptyAdminTables()
    await emptyEventTables()
    await empty()
    await fill()
    cookie = await cookiesOf(await makeUser('root'))
    return empty
  })

  const asAdmin = (path: string, headers = {}) =>
    get(`/admin${path}`, { headers: { cookie, ...headers } })

  test('[P14] a refused record is returned by no endpoint: {$self}')
    .with([
      [API, ['Ann', 'Zed']],
      [`${API}?sort=-name&limit=2`, ['Zed', 'Ann']],
      [`${API}?offset=1`, ['Zed']],
      [`${API}?page=2&itemsPerPage=1`, ['Zed']],
      [`${API}?cursor=&limit=2`, ['Ann', 'Zed']],
      [`${API}?count=false&limit=2`, ['Ann', 'Zed']],
      [`${API}?name=Hushed Harriet`, []],
      [`${API}?amount=4711`, []],
      [`${API}?include=ward`, ['Ann', 'Zed']],
      [`${API}?fields=name`, ['Ann', 'Zed']],
      [`${API}/everybody`, ['Ann', 'Zed']],
    ] as Array<[string, string[]]>)
    .run(async ({ assert }, [path, expected]) => {
      const response = await get(path)
      assert.equal(response.status, 200)
      assert.deepEqual(names(response), expected)
      assert.notInclude(response.text, 'Hushed')
    })

  test('[P14] a refused record is not counted, and pages are filled as if it did not exist', async ({
    assert,
  }) => {
    const { body: all } = await get(API)
    assert.equal(all.total_count, 2)
    const { body: page } = await get(`${API}?page=1&itemsPerPage=2`)
    assert.deepInclude(page, { total_count: 2, has_more: false })
    const { body: first } = await get(`${API}?page=1&itemsPerPage=1`)
    assert.isTrue(first.has_more)
    const { body: uncounted } = await get(`${API}?count=false&limit=2`)
    assert.isFalse(uncounted.has_more)
    const { body: cursor } = await get(`${API}?cursor=&limit=2`)
    assert.isNull(cursor.next_cursor)
    const { body: none } = await get(`${API}?limit=0`)
    assert.deepEqual(none, { data: [], total_count: 2 })
  })

  test('[P14, Q6] a change of a refused record does not change the entity tag or the length of a list', async ({
    assert,
  }) => {
    const tagOf = async () => {
      const { headers } = await call('HEAD', API)
      return [headers.get('etag'), headers.get('content-length')]
    }
    const before = await tagOf()
    assert.isNotNull(before[0])
    await db.from('judged_patients').where('id', HIDDEN).update({ amount: 1, name: 'Other' })
    assert.deepEqual(await tagOf(), before)
  })

  test('[P14] reading a refused record by its key is a 403', async ({ assert }) => {
    for (const [method, path] of [
      ['GET', `${API}/${HIDDEN}`],
      ['HEAD', `${API}/${HIDDEN}`],
      ['GET', `/admin/Patient/crud/${HIDDEN}`],
      ['GET', `/admin/Patient/update/${HIDDEN}`],
    ]) {
      const response = await call(method, path, { headers: { cookie } })
      assert.equal(response.status, 403, path)
      assert.notInclude(response.text, 'Hushed')
      assert.isNull(response.headers.get('etag'))
    }
    const form = { ids: String(HIDDEN), action: 'delete' }
    const requested = await sendForm('/admin/Patient/form_bulk_delete', form, { cookie })
    assert.equal(requested.status, 403)
    assert.notInclude(requested.text, 'Hushed')
  })

  test('[P14, Q3] a refused record is never included', async ({ assert }) => {
    for (const [base, headers] of [
      ['/api/judged-stays', {}],
      ['/admin/Stay/crud', { cookie }],
    ] as const) {
      const { body, text } = await get(`${base}?include=patient`, { headers })
      assert.deepEqual(
        body.data.map(({ patient }: any) => patient?.name ?? null),
        [null, 'Ann']
      )
      assert.notInclude(text, 'Hushed')
      const one = await get(`${base}/1?include=patient`, { headers })
      assert.isNull(one.body.patient)
    }
    for (const [base, headers] of [
      ['/api/judged-wards', {}],
      ['/admin/CareUnit/crud', { cookie }],
    ] as const) {
      const { body, text } = await get(`${base}?include=patients,head,visitors`, { headers })
      assert.deepEqual(
        body.data.map(({ patients, head, visitors }: any) => [
          patients.map(({ name }: any) => name),
          head?.name ?? null,
          visitors.map(({ name }: any) => name),
        ]),
        [
          [['Ann', 'Zed'], 'Ann', ['Ann']],
          [[], null, ['Ann']],
        ]
      )
      assert.notInclude(text, 'Hushed')
    }
  })

  test('[L1, L4] a filter by the title of a reference checks the policy for at most 1,000 referenced records', async ({
    assert,
  }) => {
    const many = Array.from({ length: 1000 }, (_, index) => ({
      id: 1000 + index,
      name: `Nan ${index}`,
      confidential: false,
      created_at: ago(),
    }))
    await db.table('judged_patients').multiInsert(many.slice(0, 500))
    await db.table('judged_patients').multiInsert(many.slice(500))
    for (const query of ['filter.patient_id__title=n', 'q=n']) {
      const { text } = await asAdmin(`/Stay/?${query}`)
      assert.include(text, 'so they can&#x27;t be selected')
      assert.include(text, '1–2 of 2')
    }
    const { text } = await asAdmin('/Stay/?filter.patient_id__title=n')
    assert.include(text, 'too many records have such a title')
    const { text: found } = await asAdmin('/Stay/?filter.patient_id__title=ann')
    assert.include(found, '1–1 of 1')
  })

  test('[P14] a refused record appears on no page of the site: {$self}')
    .with([
      ['/Patient/', 'Ann'],
      ['/Patient/?sort_by=name&sort_order=desc', 'Zed'],
      ['/Patient/get_model_list', 'Ann'],
      ['/Patient/table-content', 'Ann'],
      ['/Patient/table-content?column-to-search=name&search=n', 'Ann'],
      ['/Patient/?column-to-search=name&search-input=Hush', 'Nothing found'],
      ['/Patient/crud', 'Ann'],
      ['/Patient/crud?page=1', 'Ann'],
      ['/Patient/crud/everybody', 'Ann'],
      ['/Stay/', 'Ann'],
      ['/Stay/?sort_by=patient_id', 'Ann'],
      ['/Stay/?filter.patient_id__title=n', 'Ann'],
      ['/Stay/?filter.patient_id__title=Hush', 'Nothing found'],
      ['/Stay/?q=ann', 'Ann'],
      ['/Stay/?q=hus', 'Nothing found'],
      ['/Patient/?filter.amount__gt=4000', 'Nothing found'],
      ['/Stay/update/1', 'Ann'],
      ['/Stay/create_page', 'Ann'],
      ['/Stay/choices/patient_id', 'Ann'],
      ['/Stay/choices/patient_id?q=n', 'Ann'],
      ['/Stay/filter/choices/patient_id?q=n', 'Ann'],
      ['/Stay/filter?add.column=patient_id&add.operator=eq', 'patient'],
      ['/Stay/view/1', 'Stay'],
      ['/Stay/?group_by=patient_id', 'Ann'],
      ['/Stay/duplicates?compare=patient_id', 'uplicate'],
      ['/Stay/compare?ids=1&ids=2', 'Ann'],
      ['/Stay/export?format=csv&titles=1&columns=*', 'Ann'],
      ['/Stay/print', 'Ann'],
      ['/Stay/explain?filter.patient_id=2', 'atient'],
      ['/CareUnit/view/1', 'Ann'],
      ['/CareUnit/view/2', 'South'],
      ['/CareUnit/update/1', 'North'],
      ['/CareUnit/related/patients/1', 'Ann'],
      ['/CareUnit/compare?ids=1&ids=2', 'North'],
      ['/Patient/?group_by=amount', 'ount'],
      ['/Patient/?group_by=name&summary=amount:sum', 'Ann'],
      ['/Patient/facets', 'facets'],
      ['/Patient/duplicates?compare=confidential', 'uplicate'],
      ['/Patient/explain?filter.amount__gt=4000', 'explain'],
      ['/Patient/export?format=json&columns=*', 'Ann'],
      ['/Patient/print', 'Ann'],
      ['/Patient/view/1', 'Ann'],
      ['/search?q=h', 'earch'],
    ])
    .run(async ({ assert }, [path, shown]) => {
      for (const headers of [{}, { 'hx-request': 'true' }]) {
        const { status, text } = await asAdmin(path, headers)
        assert.equal(status, 200)
        assert.include(text, shown)
        assert.notInclude(text, 'Harriet')
        assert.notInclude(text, '4711')
      }
    })

  test('[P14, B23] a refused record is not included in any count or chart', async ({ assert }) => {
    const { text } = await asAdmin('')
    const [, tile] = /id="count-Patient">(.*?)<\/a>/s.exec(text)!
    assert.match(tile, />2 </)
    const crud = resources.endpoints().find(({ path }) => path === API)!.crud
    const days = await crud.countByDay('created_at', ago({ days: 3 }).slice(0, 10))
    assert.deepEqual(
      days!.map(({ count }) => count),
      [2]
    )
    assert.match(days![0].day, /^\d{4}-\d\d-\d\d$/)
    assert.equal(await crud.count(), 2)
    assert.isFalse(await crud.exists({ name: 'Hushed Harriet' }))
    assert.isTrue(await crud.exists({ name: 'Ann' }))
    await assert.rejects(() => crud.findMany([HIDDEN]), /may not/)
    await assert.rejects(() => crud.find(HIDDEN), /may not/)
  })

  test('[P14, E5] the history of a refused record is not shown, in its current or earlier states', async ({
    assert,
  }) => {
    const state = (id: number, name: string, confidential: boolean) => ({
      resource_type: 'Patient',
      resource_id: String(id),
      before: null,
      after: { id, name, confidential },
    })
    const event = await logEvent({ event_type: 'CREATE', resource_type: 'Patient' }, [
      state(1, 'Ann', false),
      state(HIDDEN, 'Hushed Harriet', true),
      state(77, 'Hushed Hector', true),
      state(78, 'Gone Gwen', false),
    ])
    const page = await asAdmin(`/management/events/${event}`)
    assert.equal(page.status, 200)
    for (const name of ['Ann', 'Gone Gwen']) assert.include(page.text, name)
    assert.notInclude(page.text, 'Hushed')
    for (const [id, status] of [
      [1, 200],
      [HIDDEN, 403],
      [77, 403],
      [78, 200],
    ]) {
      const history = await asAdmin(`/Patient/history/${id}`)
      assert.equal(history.status, status, String(id))
      assert.notInclude(history.text, 'Hushed')
    }
  })
})

test.group('Lists with a policy that checks each record', (group) => {
  group.each.setup(async () => {
    await empty()
    return empty
  })

  async function insert(rows: Array<{ confidential: boolean; amount?: number | null }>) {
    const all = rows.map((row, index) => ({ id: index + 1, name: `p${index + 1}`, ...row }))
    for (let start = 0; start < all.length; start += 500) {
      await db.table('judged_patients').multiInsert(all.slice(start, start + 500))
    }
  }

  test('[P14, Q4] a page is full, however many records before it the policy refuses', async ({
    assert,
  }) => {
    /* Every fiftieth of 650 records may be seen; some have no amount. */
    await insert(
      Array.from({ length: 650 }, (_, index) => ({
        confidential: index % 50 !== 25,
        amount: index % 3 === 0 ? null : index % 7,
      }))
    )
    for (const sort of ['id', '-id', 'amount', '-amount,name']) {
      const whole = await get(`${API}?sort=${sort}&limit=100`)
      assert.equal(whole.body.total_count, 13)
      assert.lengthOf(whole.body.data, 13)

      const byPage: string[] = []
      for (let page = 1; page <= 4; page++) {
        const { body } = await get(`${API}?sort=${sort}&page=${page}&itemsPerPage=4&count=false`)
        assert.equal(body.has_more, page < 4)
        byPage.push(...body.data.map(({ name }: any) => name))
      }
      assert.deepEqual(byPage, names(whole))

      const byCursor: string[] = []
      let cursor: string | null = ''
      while (cursor !== null) {
        const { body }: any = await get(`${API}?sort=${sort}&limit=5&cursor=${cursor}`)
        byCursor.push(...body.data.map(({ name }: any) => name))
        cursor = body.next_cursor
      }
      assert.deepEqual(byCursor, names(whole))
    }
  })

  test('[P14] a list of more records than the policy can check has has_more, and null as total_count', async ({
    assert,
  }) => {
    await insert(
      Array.from({ length: MOST_AUTHORIZED }, (_, index) => ({ confidential: index % 2 === 0 }))
    )
    const { body: whole } = await get(`${API}?limit=1`)
    assert.equal(whole.total_count, MOST_AUTHORIZED / 2)

    await db
      .table('judged_patients')
      .insert({ id: MOST_AUTHORIZED + 1, name: 'last', confidential: false })
    Patient.judged = 0
    const { body: part } = await get(`${API}?limit=2`)
    assert.isNull(part.total_count)
    assert.isTrue(part.has_more)
    assert.lengthOf(part.data, 2)
    assert.isBelow(Patient.judged, 50)
    const { body: page } = await get(`${API}?page=1&itemsPerPage=2`)
    assert.deepInclude(page, { total_count: null, has_more: true })
    const { body: filtered } = await get(`${API}?name=last`)
    assert.equal(filtered.total_count, 1)

    const patients = new LucidCrud(Patient)
    assert.isNull(await patients.count())
    assert.isTrue(await patients.exists({}))

    await emptyAdminTables()
    const restore = await fakeHashes()
    try {
      const cookie = await cookiesOf(await makeUser('root'))
      const list = await get('/admin/Patient/?page=2', { headers: { cookie } })
      assert.equal(list.status, 200)
      assert.include(list.text, 'Too many to count')
      assert.include(list.text, '11–20, too many to count')
      assert.match(list.text, /id="next-page"[^>]*href="[^"]*page=3/)
      assert.match(list.text, /id="previous-page"[^>]*href=/)
      const beyond = await get('/admin/Patient/?page=5000', { headers: { cookie } })
      assert.include(beyond.text, '1–10, too many to count')
    } finally {
      restore()
    }
  }).timeout(20_000)

  test('[P14] a policy without a record parameter runs no additional query', async ({ assert }) => {
    const statements = await queriesOf(() => get('/api/judged-stays'))
    assert.lengthOf(statements, 2)
  })
})
