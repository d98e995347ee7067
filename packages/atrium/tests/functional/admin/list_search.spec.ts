import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import { cookiesOf, emptyAdminTables, fakeHashes, makeUser } from '#tests/helpers/admin'
import { column, getList } from '#tests/helpers/list_page'

test.group('Admin | list | search', (group) => {
  group.tap((one) => one.tags(['@dialect']))
  let cookie: string

  group.setup(() => fakeHashes())
  group.setup(async () => {
    await emptyAdminTables()
    cookie = await cookiesOf(await makeUser('ada'))
    await db.from('list_artefacts').delete()
    const all: Array<Record<string, unknown>> = [
      { name: 'Ärger', visitors: 12, weight: 1.5, on_loan: true },
      { name: 'ärgerlich', visitors: 120, weight: 15, on_loan: false },
      { name: 'ARGER', visitors: -12, weight: 0.5, on_loan: null },
      { name: '50% off_now\\', visitors: null, weight: null, on_loan: true },
      { name: '500 off now', visitors: 9, weight: 2, on_loan: false },
      { name: 'Ωmega [a-z]*?', visitors: 0, weight: 0, on_loan: false },
      { name: null, visitors: 1, weight: 1, on_loan: null },
    ]
    await db.table('list_artefacts').multiInsert(
      all.map((values, index) => ({
        ...values,
        id: index + 1,
        found_on: '2026-01-02',
        shown_at: '2026-01-02 03:04:05',
        opens_at: '09:30:00',
        details: '{"a":1}',
        mark: `3f2504e0-4f89-41d3-9a0c-0305e82c330${index}`,
        insured_for: 7,
      }))
    )
  })

  /** Ids of the found records, oldest first. */
  async function found(name: string, text: string): Promise<string> {
    const query = new URLSearchParams({ 'column-to-search': name, 'search-input': text })
    const list = await getList(cookie, `/admin/Artefact/?${query}`)
    return column(list, 0).reverse().join(' ')
  }

  const ALL = '1 2 3 4 5 6 7'

  test('[S30] a search finds integers only by their exact value', async ({ assert }) => {
    assert.equal(await found('visitors', '12'), '1')
    assert.equal(await found('visitors', '-12'), '3')
    assert.equal(await found('visitors', '0'), '6')
    assert.equal(await found('visitors', '77'), '')
    for (const text of ['twelve', '12.0', '1e1', '99999999999999999999']) {
      assert.equal(await found('visitors', text), ALL, text)
    }
  })

  test('[S30] a search finds floats only by their exact value', async ({ assert }) => {
    assert.equal(await found('weight', '1.5'), '1')
    assert.equal(await found('weight', '15'), '2')
    assert.equal(await found('weight', '.5'), '3')
    assert.equal(await found('weight', '0'), '6')
    assert.equal(await found('weight', '1,5'), ALL)
  })

  test('[S30] a search finds booleans by their words', async ({ assert }) => {
    for (const word of ['true', 'YES', '1', 't', 'y']) {
      assert.equal(await found('on_loan', word), '1 4', word)
    }
    for (const word of ['false', 'No', '0', 'F', 'n']) {
      assert.equal(await found('on_loan', word), '2 5 6', word)
    }
    assert.equal(await found('on_loan', 'perhaps'), ALL)
  })

  test('[S30, B15] a search finds parts of texts, ignoring case but not accents', async ({
    assert,
  }) => {
    for (const text of ['ärger', 'ÄRGER', 'äRGe'])
      assert.equal(await found('name', text), '1 2', text)
    assert.equal(await found('name', 'arger'), '3')
    assert.equal(await found('name', 'ωME'), '6')
    assert.equal(await found('name', ' off '), '4 5')
  })

  test('[B15] wildcard characters in a search text are literal', async ({ assert }) => {
    const cases = {
      '50%': '4',
      '%': '4',
      'off_': '4',
      '_': '4',
      '\\': '4',
      '[a-z]': '6',
      '*': '6',
      '?': '6',
    }
    for (const [text, expected] of Object.entries(cases)) {
      assert.equal(await found('name', text), expected, text)
    }
    assert.equal(await found('name', `' or 1=1 --`), '')
    assert.equal(await found('name', '"'), '')
  })

  test('[S30] columns of other types are not searchable')
    .with([
      ['found_on', '2026-01-02'],
      ['shown_at', '2026'],
      ['opens_at', '09:30:00'],
      ['details', 'a'],
      ['caption', 'Vase'],
    ])
    .run(async ({ assert }, [name, text]) => {
      assert.equal(await found(name, text), ALL)
      assert.equal(await found(name, 'nothing of the kind'), ALL)
    })

  test('[S29] unknown and hidden columns are not searchable')
    .with(['nowhere', 'insured_for', 'insuredFor', 'onLoan', 'None', ''])
    .run(async ({ assert }, name) => {
      assert.equal(await found(name, '8'), ALL)
    })

  test('[S29] the search text is trimmed, and an empty one does not filter', async ({ assert }) => {
    assert.equal(await found('name', '  ärger \t'), '1 2')
    assert.equal(await found('name', '   '), ALL)
    assert.equal(await found('visitors', ' 12 '), '1')
  })

  test('a search finds a UUID only as a whole, ignoring case', async ({ assert }) => {
    assert.equal(await found('mark', '3F2504E0-4F89-41D3-9A0C-0305E82C3301'), '2')
    assert.equal(await found('mark', '3f2504e0'), ALL)
  })

  test('[S30] a text that is too long for the search is reported', async ({ assert }) => {
    const list = (length: number) =>
      getList(cookie, `/admin/Artefact/?column-to-search=name&search-input=${'x'.repeat(length)}`)
    const [longest, longer] = [await list(200), await list(201)]
    assert.include(longer.text, 'be searched for in Name, so all records are shown')
    assert.notInclude(longest.text, 'so all records are shown')
  })

  test('a search text with NUL or lone surrogates causes no error', async ({ assert }) => {
    const list = (text: string) =>
      getList(cookie, `/admin/Artefact/?column-to-search=name&search-input=${text}`)
    for (const text of ['a%00b', '%ed%a0%80', '%ff', 'x'.repeat(4000)]) {
      const { status } = await list(text)
      assert.equal(status, 200, text.slice(0, 20))
    }
  })

  test('a search text that is invalid for the selected column is reported, and all records are shown', async ({
    assert,
  }) => {
    const query = '?column-to-search=visitors&search-input=%3Cb%3Emany'
    const { text } = await getList(cookie, `/admin/Artefact/${query}`)
    assert.include(
      text,
      '“&lt;b&gt;many” can&#x27;t be searched for in Visitors, so all records are shown.'
    )
    const date = await getList(
      cookie,
      '/admin/Artefact/?column-to-search=found_on&search-input=1949'
    )
    assert.lengthOf(date.rows, 7)
    assert.include(date.text, '“1949” can&#x27;t be searched for in Found on, so all')
    assert.match(date.text, /id="search-input"[^>]* value="1949"/)
    const { text: fine } = await getList(
      cookie,
      '/admin/Artefact/?column-to-search=visitors&search-input=12'
    )
    assert.notInclude(fine, 'be searched for')
  })

  test('the search form offers the searchable columns and preserves the search', async ({
    assert,
  }) => {
    const { text } = await getList(
      cookie,
      '/admin/Artefact/?column-to-search=weight&search-input=2'
    )
    const options = [...text.matchAll(/<option value="([^"]*)"([^>]*)>\s*([^<]*)</g)]
    assert.deepEqual(
      options.map(([, name]) => name),
      ['*', 'id', 'name', 'notes', 'visitors', 'weight', 'on_loan', 'mark', 'alcove_code', 'grade']
    )
    assert.deepEqual(
      options.filter(([, , attributes]) => attributes.includes('selected')).map(([, name]) => name),
      ['weight']
    )
    assert.include(text, 'name="search-input" type="search" value="2"')
    assert.include(text, '>Alcove code (ID)<')

    const book = await getList(cookie, '/admin/CashBook/')
    await db.from('list_cash_books').delete()
    await db.table('list_cash_books').insert({ title: 'a' })
    const { text: one } = await getList(cookie, '/admin/CashBook/')
    assert.deepEqual(one.match(/<option value="[^"]*"/g), [
      '<option value="*"',
      '<option value="title"',
    ])
    assert.equal(book.status, 200)
  })
})
