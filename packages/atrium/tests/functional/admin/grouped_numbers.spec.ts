import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import { cookiesOf, emptyAdminTables, fakeHashes, makeUser, sendForm } from '#tests/helpers/admin'
import { formOf } from '#tests/helpers/forms'
import { call, get } from '#tests/helpers/http'
import { getList, textOf } from '#tests/helpers/list_page'
import { Haul, Quota } from '#tests/fixtures/numbers'

const NO_NUMBER =
  ' must be a number with a point before its decimals and commas, if any, before three digits each, as in 15,285,588.5'

test.group('Admin | grouped numbers', (group) => {
  let cookie: string

  group.tap((one) => one.tags(['@database']))
  group.setup(() => fakeHashes())
  group.each.setup(async () => {
    await emptyAdminTables()
    for (const model of [Haul, Quota]) await model.query().delete()
    cookie = await cookiesOf(await makeUser('bo'))
  })

  const open = async (path: string) => {
    const { text } = await get(`/admin/${path}`, { headers: { cookie } })
    return { ...formOf(text), text }
  }
  const send = (path: string, fields: Record<string, string> | string) =>
    sendForm(`/admin/${path}`, fields, { cookie })

  async function haul(values: Record<string, unknown> = {}): Promise<number> {
    await db.table('number_hauls').insert({ name: 'Cod', gross: 15_285_588, ...values })
    const [{ id }] = await db.from('number_hauls').max('id as id')
    return Number(id)
  }

  const stored = (id: number) => db.from('number_hauls').where('id', id).first()

  test('[B17] numbers from 10,000 up have separators, except codes and years', async ({
    assert,
  }) => {
    const id = await haul({
      big: '9007199254740993',
      exact: '12345678.1234',
      tonnes: 9999.5,
      code: 123456,
      year: 19940,
    })
    const { values, tags } = await open(`Haul/update/${id}`)
    assert.deepInclude(values, {
      gross: '15,285,588',
      big: '9,007,199,254,740,993',
      exact: '12,345,678.1234',
      tonnes: '9999.5',
      code: '123456',
      year: '19940',
    })
    assert.include(tags.gross, 'type="text"')
    assert.include(tags.code, 'type="number"')
    const list = await getList(cookie, '/admin/Haul/')
    assert.include(list.rows[0], '15,285,588')
    assert.include(list.rows[0], '123456')
    const edited = await send(`Haul/form_update/${id}`, { ...values, gross: '15,285,589' })
    assert.oneOf(edited.status, [200, 303])
    const { text } = await get(`/admin/Haul/history/${id}`, { headers: { cookie } })
    assert.include(text, '15,285,588')
    assert.include(text, '15,285,589')
    const blank = await open('Haul/create_page')
    assert.equal(blank.values.gross, '25,000')
  })

  test('[B17] numbers that a form shows with separators stay unchanged when it is submitted', async ({
    assert,
  }) => {
    const id = await haul({ big: '9007199254740993', exact: '12345678.1', tonnes: 1234567.1 })
    const before = await stored(id)
    const { values } = await open(`Haul/update/${id}`)
    const { status } = await send(`Haul/form_update/${id}`, { ...values, name: 'Herring' })
    assert.equal(status, 303)
    assert.deepEqual(await stored(id), { ...before, name: 'Herring' })
  })

  test('[B17] a number can be typed with separators or without: {typed}')
    .with([
      { typed: '15,285,588', gross: 15_285_588 },
      { typed: '15285588', gross: 15_285_588 },
      { typed: '1,234', gross: 1234 },
      { typed: '-20 000', gross: -20_000 },
      { typed: '12.0', gross: 12 },
    ])
    .run(async ({ assert }, { typed, gross }) => {
      const { status } = await send('Haul/form_create', { name: 'Cod', gross: typed })
      assert.equal(status, 303)
      const { gross: found } = await Haul.firstOrFail()
      assert.equal(found, gross)
    })

  test('[B17] a number typed with separators is stored with every digit', async ({ assert }) => {
    const fields = { name: 'Cod', big: '9,007,199,254,740,993', exact: '12,345,678.1234' }
    const { status } = await send('Haul/form_create', fields)
    assert.equal(status, 303)
    const { id } = await Haul.firstOrFail()
    const { values } = await open(`Haul/update/${id}`)
    assert.equal(values.big, '9,007,199,254,740,993')
    assert.equal(values.exact, '12,345,678.1234')
  })

  test('[B17] a number with ambiguous separators is an error: {typed}')
    .with(['1,5', '1.234.567', '1.234,5', '12,34'].map((typed) => ({ typed })))
    .run(async ({ assert }, { typed }) => {
      const response = await send('Haul/form_create', { name: 'Cod', exact: typed, code: typed })
      assert.equal(response.status, 422)
      const { errors, values } = formOf(response.text)
      assert.equal(errors.exact, `Exact${NO_NUMBER}`)
      assert.equal(errors.code, `Code${NO_NUMBER}`)
      assert.equal(values.exact, typed)
      assert.lengthOf(await Haul.all(), 0)
    })

  test('[B17] limits are shown as text with separators, and passed to the script as numbers', async ({
    assert,
  }) => {
    const { tags } = await open('Quota/create_page')
    assert.include(tags.most, 'title="From 0 to 20,000"')
    assert.include(tags.most, 'data-max="20000"')
    assert.include(tags.most, 'inputmode="numeric"')
    const response = await send('Quota/form_create', { most: '20,001' })
    assert.equal(response.status, 422)
    assert.include(formOf(response.text).errors.most, '20000')
  })

  test('[B17, L10, L9] cells, fields of Edit selected, and filters use the same separators', async ({
    assert,
  }) => {
    const id = await haul()
    const path = `/admin/Haul/cell/${id}?field=gross`
    const editor = await get(path, { headers: { cookie } })
    assert.include(editor.text, 'value="15,285,588"')
    const saved = await call('POST', path, {
      body: 'gross=16,000,000',
      headers: {
        cookie,
        'content-type': 'application/x-www-form-urlencoded',
        'if-match': `"${/data-version="(.*?)"/.exec(editor.text)![1]}"`,
      },
    })
    assert.equal(saved.status, 200)
    assert.include(saved.text, '16,000,000')

    const page = await open(`Haul/bulk-edit?ids=${id}`)
    assert.equal(page.values.gross, '16,000,000')
    const changes = { _ids: String(id), _edit: '1', gross: '17,000,000', gross__change: '1' }
    const { status } = await send('Haul/bulk-edit', changes)
    assert.equal(status, 303)
    const { gross } = await Haul.firstOrFail()
    assert.equal(gross, 17_000_000)

    const requested = new URLSearchParams({
      'add.column': 'gross',
      'add.operator': 'gte',
      'add.for': 'one gross',
      'add.value': '17,000,000',
    })
    const filter = await get(`/admin/Haul/filter?${requested}`, { headers: { cookie } })
    assert.include(filter.text, 'value="17,000,000"')
    const list = await getList(
      cookie,
      '/admin/Haul/?filter.code__is=null&filter.gross__gte=17000000'
    )
    assert.include(textOf(list.text), 'Gross is at least 17,000,000')
  })
})
