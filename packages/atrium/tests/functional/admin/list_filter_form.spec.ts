import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import { cookiesOf, emptyAdminTables, fakeHashes, makeUser } from '#tests/helpers/admin'
import { get } from '#tests/helpers/http'
import { getList, tagsOf, textOf, unescape } from '#tests/helpers/list_page'
import { makeRole, restoreRoles } from '#tests/helpers/roles'

const LIST = '/admin/Artefact/'

test.group('Admin | list | filter descriptions', (group) => {
  let cookie: string

  group.setup(() => fakeHashes())
  group.setup(async () => {
    await emptyAdminTables()
    cookie = await cookiesOf(await makeUser('ada'))
  })
  group.each.setup(async () => {
    for (const table of ['list_artefacts', 'list_alcoves']) await db.from(table).delete()
    await db.table('list_alcoves').insert({ code: 'n/1', name: 'North <wing>' })
    await db
      .table('list_artefacts')
      .insert({ name: 'Vase', visitors: 5, alcove_code: 'n/1', insured_for: 7 })
  })

  const list = (query: string) => getList(cookie, `${LIST}?${query}`)

  /** The filters as they are read, without the names of their links. */
  async function words(query: string): Promise<string[]> {
    const { text } = await list(query)
    return [...text.matchAll(/<span class="filter-text".*?>(.*?<\/span>.*?)<\/span>/gs)].map(
      ([, filter]) => textOf(filter)
    )
  }

  test('[L2] a filter is described in words: {filter}')
    .with([
      { filter: 'name=Vase', said: 'Name is Vase' },
      { filter: 'name__ne=Vase', said: 'Name is not Vase' },
      { filter: 'name__in=Vase,Red\\, blue', said: 'Name is Vase or Red, blue' },
      { filter: 'name__in=a,b,c,d,e,f,g', said: 'Name is a or b or c or d or e or 2 more' },
      { filter: 'name__contains=a%25', said: 'Name contains “a%”' },
      { filter: 'name__startswith=V', said: 'Name begins with “V”' },
      { filter: 'name__or=startswith:V,is:null', said: 'Name begins with “V” or is empty' },
      { filter: 'name__is_not=null', said: 'Name is not empty' },
      { filter: 'visitors__gte=100000000', said: 'Visitors is at least 100,000,000' },
      { filter: 'visitors__between=1,2000', said: 'Visitors is between 1 and 2,000' },
      { filter: 'id=1234', said: 'ID is 1234' },
      { filter: 'on_loan=true', said: 'On loan is Yes' },
      { filter: 'on_loan__is_not=false', said: 'On loan is not No' },
      { filter: 'found_on__gt=2024-01-02', said: 'Found on is after 2 Jan 2024' },
      { filter: 'found_on__between=last_7_days', said: 'Found on is in the last 7 days' },
      { filter: 'found_on__between=today', said: 'Found on is today' },
      {
        filter: 'shown_at__lte=2024-01-02 03:04:05',
        said: 'Shown at is at or before 2 Jan 2024, 03:04',
      },
      { filter: 'alcove_code=n/1', said: 'Alcove code is North <wing>' },
      { filter: 'alcove_code__in=n/1,gone', said: 'Alcove code is North <wing> or gone' },
      { filter: 'alcove_code__title=wing', said: 'Alcove code has “wing” in its title' },
    ])
    .run(async ({ assert }, { filter, said }) => {
      assert.deepEqual(await words(`filter.${filter}`), [said])
    })

  test('[G3, L2] a negated filter is described in words: {filter}')
    .with([
      { filter: 'name=Vase', said: 'Name is not Vase' },
      { filter: 'name__ne=Vase', said: 'Name is Vase' },
      { filter: 'name__in=Vase,Cup', said: 'Name is not Vase or Cup' },
      { filter: 'name__contains=a', said: 'Name does not contain “a”' },
      {
        filter: 'name__or=startswith:V,is:null',
        said: 'Name is not true: begins with “V” or is empty',
      },
      { filter: 'name__is=null', said: 'Name is not empty' },
      { filter: 'visitors__gte=1000', said: 'Visitors is not at least 1,000' },
      { filter: 'visitors__between=1,2000', said: 'Visitors is not between 1 and 2,000' },
      { filter: 'found_on__gt=2024-01-02', said: 'Found on is not after 2 Jan 2024' },
      { filter: 'found_on__between=today', said: 'Found on is not today' },
      { filter: 'alcove_code=n/1', said: 'Alcove code is not North <wing>' },
      { filter: 'alcove_code__title=wing', said: 'Alcove code does not have “wing” in its title' },
    ])
    .run(async ({ assert }, { filter, said }) => {
      assert.deepEqual(await words(`filter.not.${filter}`), [said])
    })

  test('[G3, L2] the alternatives of a group are described next to each other', async ({
    assert,
  }) => {
    assert.deepEqual(
      await words(
        'filter.any.1.name=Vase&filter.weight__gt=1&filter.any.1.not.visitors__gte=6&filter.any.2.id=1'
      ),
      ['Name is Vase', 'Visitors is not at least 6', 'Weight is more than 1', 'ID is 1']
    )
  })

  test('[L2] each filter has a link that removes it, and one link clears all', async ({
    assert,
  }) => {
    const { text } = await list('filter.name=Vase&filter.visitors__gte=6&q=a&sort_by=name&page=3')
    const links = new Map(
      [...text.matchAll(/<a [^>]*?id="((?:remove|clear)-filter[^"]*)" href="(.*?)"/g)].map(
        ([, id, url]) => [id, unescape(url)]
      )
    )
    assert.deepEqual(Object.fromEntries(links), {
      'remove-filter-0': `${LIST}?filter.visitors__gte=6&q=a&sort_by=name&sort_order=asc`,
      'remove-filter-1': `${LIST}?filter.name=Vase&q=a&sort_by=name&sort_order=asc`,
      'clear-filters': `${LIST}?q=a&sort_by=name&sort_order=asc`,
    })
    assert.include(text, 'Remove: Visitors is at least 6')
    const searched = await list('q=a')
    assert.notInclude(searched.text, 'id="clear-filters"')
  })

  test('[L1, L2] an ignored filter is listed separately with its reason, and cleared with the others', async ({
    assert,
  }) => {
    const query = 'filter.nothing=1&filter.visitors=many&filter.name=Vase'
    assert.deepEqual(await words(query), ['Name is Vase'])
    const { text } = await list(query)
    assert.include(unescape(text), 'it must be an integer, not “many”')
    assert.match(text, /id="clear-filters" href="\/admin\/Artefact\/"/)
  })
})

test.group('Admin | list | form for a new filter', (group) => {
  let cookie: string

  group.setup(() => fakeHashes())
  group.each.setup(async () => {
    await emptyAdminTables()
    await restoreRoles()
    for (const table of ['list_artefacts', 'list_alcoves']) await db.from(table).delete()
    await db.table('list_alcoves').insert({ code: 'n/1', name: 'North wing' })
    cookie = await cookiesOf(await makeUser('ada'))
    return () => restoreRoles()
  })

  const ask = (
    query: Record<string, string> | Array<[string, string]>,
    { model = 'Artefact', headers = {} }: { model?: string; headers?: Record<string, string> } = {}
  ) => {
    const address = `/admin/${model}/filter?${new URLSearchParams(query)}`
    return get(address, { headers: { cookie, accept: 'text/html', ...headers } })
  }

  const shapes: Record<string, string> = {
    in: 'several',
    contains: 'text',
    startswith: 'text',
    title: 'text',
    period: 'period',
    between: 'two',
    empty: 'none',
    filled: 'none',
  }

  /** Parameters that a browser sends for a filled in form. */
  const filled = (
    column: string,
    operator: string,
    value?: string | string[],
    more: Array<[string, string]> = []
  ): Array<[string, string]> => [
    ['add.column', column],
    ['add.operator', operator],
    ['add.for', `${shapes[operator] ?? 'one'} ${column}`],
    ...[value ?? []].flat().map((one): [string, string] => ['add.value', one]),
    ...more,
    ['add.apply', '1'],
  ]

  /** The texts of a select, with the values of its options. */
  const options = (text: string, id: string): Record<string, string> => {
    const [, inner = ''] =
      new RegExp(`<select[^>]*id="${id}".*?>(.*?)</select>`, 's').exec(text) ?? []
    return Object.fromEntries(
      [...inner.matchAll(/<option value="(.*?)".*?>(.*?)<\/option>/gs)].map(([, value, label]) => [
        unescape(value),
        unescape(label),
      ])
    )
  }

  /** Names of the columns that the form offers. */
  const columnsIn = (text: string) =>
    [...text.matchAll(/<a href="([^"]*add\.column=[^"&]+)"/g)].map(([, url]) =>
      new URLSearchParams(unescape(url).split('?')[1]).get('add.column')!
    )

  /** The values that can be ticked, the ticked ones in brackets. */
  const ticks = (text: string) =>
    [...text.matchAll(/<label><input([^>]*type="checkbox"[^>]*)>(.*?)<\/label>/gs)].map(
      ([, tag, label]) => {
        const words = textOf(label).replace(/\s+/g, ' ')
        return /\bchecked\b/.test(tag) ? `[${words}]` : words
      }
    )

  /** What the form sends as it is. */
  const fieldsIn = (text: string): Array<[string, string]> => {
    const [, inner] = /<form id="filter-form"[^>]*>(.*?)<\/form>/s.exec(text)!
    const attribute = (tag: string, name: string) =>
      unescape(new RegExp(`\\s${name}="([^"]*)"`).exec(tag)?.[1] ?? '')
    const controls = inner.matchAll(/<input\b([^>]*)>|<select\b([^>]*)>(.*?)<\/select>/gs)
    return [...controls].flatMap(([, input, select, choices]): Array<[string, string]> => {
      const tag = input ?? select
      const isLeftOut = /type="checkbox"/.test(tag) && !/\schecked\b/.test(tag)
      if (attribute(tag, 'name') === '' || isLeftOut) return []
      const chosen = select ? /<option value="([^"]*)" selected/.exec(choices)?.[1] : undefined
      return [
        [attribute(tag, 'name'), chosen === undefined ? attribute(tag, 'value') : unescape(chosen)],
      ]
    })
  }

  test('[L2] the form first offers the columns that the list can show', async ({ assert }) => {
    const { status, text } = await ask({})
    assert.equal(status, 200)
    const columns = columnsIn(text)
    assert.include(columns, 'visitors')
    assert.notInclude(columns, 'insured_for')
    assert.notInclude(columns, 'caption')
    assert.notInclude(text, 'filter-operator')
  })

  test('[L2] the form offers the operators of the column’s type, in words: {column}')
    .with([
      {
        column: 'name',
        operators: [
          ...['contains', 'does not contain', 'is', 'is not', 'begins with', 'does not begin with'],
          ...['ends with', 'does not end with'],
        ],
      },
      {
        column: 'visitors',
        operators: [
          'is at least',
          'is at most',
          'is more than',
          'is less than',
          'is between',
          'is not between',
          'is',
          'is not',
        ],
      },
      { column: 'on_loan', operators: ['is'] },
      {
        column: 'found_on',
        operators: [
          'is in',
          'is not in',
          'is on or after',
          'is on or before',
          'is after',
          'is before',
          'is between',
          'is not between',
          'is',
          'is not',
        ],
      },
      {
        column: 'alcove_code',
        operators: [
          ...['is any of', 'is none of', 'has in its title', 'does not have in its title'],
        ],
      },
      { column: 'details', operators: [] },
    ])
    .run(async ({ assert }, { column, operators }) => {
      const { text } = await ask({ 'add.column': column })
      assert.deepEqual(Object.values(options(text, 'filter-operator')), [
        ...operators,
        'is empty',
        'is not empty',
      ])
    })

  test('[L2] the value field has the widget of its column and operator', async ({ assert }) => {
    const widget = async (column: string, operator: string, model?: string) => {
      const { text } = await ask({ 'add.column': column, 'add.operator': operator }, { model })
      const [, tag = ''] = /(<(?:input|select)[^>]*id="filter-value"[^>]*>)/.exec(text) ?? []
      return { text, tag }
    }
    for (const [column, operator, part] of [
      ['found_on', 'gte', 'type="date"'],
      ['shown_at', 'gte', 'type="datetime-local"'],
      ['opens_at', 'gte', 'type="time"'],
      ['visitors', 'gte', 'inputmode="numeric"'],
    ]) {
      const { tag } = await widget(column, operator)
      assert.include(tag, part)
    }
    const between = await widget('found_on', 'between')
    assert.include(between.text, 'id="filter-to"')
    const none = await widget('name', 'empty')
    assert.equal(none.tag, '')
    const loan = await widget('on_loan', 'eq')
    assert.deepEqual(options(loan.text, 'filter-value'), { true: 'Yes', false: 'No' })
    const alcove = await widget('alcove_code', 'eq')
    assert.deepEqual(options(alcove.text, 'filter-value'), { 'n/1': 'North wing' })
    const days = await widget('found_on', 'period')
    assert.include(Object.keys(options(days.text, 'filter-value')), 'last_30_days')
    const status = await widget('status', 'in', 'Machine')
    const words = ticks(status.text).map((tick) => tick.split(' ')[0])
    assert.sameMembers(words, ['draft', 'sent', 'paid'])
  })

  test('[L2] the form redirects to the list with the filter added: {column} {operator}')
    .with([
      { column: 'name', operator: 'contains', value: 'ase', added: 'filter.name__contains=ase' },
      { column: 'name', operator: 'eq', value: ' a ', added: 'filter.name=+a+' },
      {
        column: 'visitors',
        operator: 'gte',
        value: '100,000,000',
        added: 'filter.visitors__gte=100000000',
      },
      { column: 'weight', operator: 'lt', value: ' 1.5 ', added: 'filter.weight__lt=1.5' },
      { column: 'on_loan', operator: 'eq', value: 'false', added: 'filter.on_loan=false' },
      {
        column: 'shown_at',
        operator: 'gt',
        value: '2024-01-02T03:04',
        added: 'filter.shown_at__gt=2024-01-02T03%3A04',
      },
      {
        column: 'found_on',
        operator: 'period',
        value: 'this_week',
        added: 'filter.found_on__between=this_week',
      },
      { column: 'alcove_code', operator: 'eq', value: 'n/1', added: 'filter.alcove_code=n%2F1' },
      {
        column: 'alcove_code',
        operator: 'title',
        value: 'wing',
        added: 'filter.alcove_code__title=wing',
      },
      { column: 'name', operator: 'empty', added: 'filter.name__is=null' },
      { column: 'name', operator: 'filled', added: 'filter.name__is_not=null' },
    ])
    .run(async ({ assert }, { column, operator, value, added }) => {
      const { status, headers } = await ask([
        ['filter.mark__is', 'null'],
        ['q', 'x'],
        ['page', '7'],
        ...filled(column, operator, value),
      ])
      assert.equal(status, 303)
      assert.equal(headers.get('location'), `${LIST}?filter.mark__is=null&${added}&q=x`)
      const page = await getList(cookie, headers.get('location')!)
      assert.notInclude(page.text, 'is ignored')
    })

  test('[L2] both ends of a range, or several values, are added to the list as one filter', async ({
    assert,
  }) => {
    const days = filled('found_on', 'between', '2024-01-01', [['add.to', '2024-02-01']])
    const between = await ask(days)
    assert.equal(
      between.headers.get('location'),
      `${LIST}?filter.found_on__between=2024-01-01%2C2024-02-01`
    )
    const several = await ask(filled('status', 'in', ['sent', 'paid']), { model: 'Machine' })
    assert.equal(several.headers.get('location'), '/admin/Machine/?filter.status__in=sent%2Cpaid')
  })

  test('[L2] htmx updates the list in the page, and receives the form without the page', async ({
    assert,
  }) => {
    const headers = { 'hx-request': 'true' }
    const step = await ask({ 'add.column': 'name' }, { headers })
    assert.notInclude(step.text, '<html')
    assert.equal(step.headers.get('vary')?.toLowerCase().includes('hx-request'), true)
    const { status, headers: responded } = await ask(filled('name', 'eq', 'x'), { headers })
    assert.equal(status, 204)
    assert.deepEqual(JSON.parse(responded.get('hx-location')!), {
      path: `${LIST}?filter.name=x`,
      target: '#list-content',
      swap: 'outerHTML',
    })
  })

  test(
    '[L2] an error is shown at a value that is invalid for its column: {column} {operator} {value}'
  )
    .with([
      {
        column: 'visitors',
        operator: 'gte',
        value: 'many',
        error: 'It must be an integer, not “many”.',
      },
      {
        column: 'found_on',
        operator: 'gte',
        value: '2024-13-01',
        error: 'It must be a date as 2026-01-31, not “2024-13-01”.',
      },
      { column: 'visitors', operator: 'gte', value: '', error: 'Fill in a value.' },
      { column: 'visitors', operator: 'between', value: '5', error: 'Fill in a value.' },
      {
        column: 'found_on',
        operator: 'period',
        value: 'next_year',
        error: 'It must be two values with a comma between.',
      },
      {
        column: 'alcove_code',
        operator: 'title',
        value: 'x'.repeat(201),
        error: 'It can’t be the title of a record.',
      },
      { column: 'name', operator: 'contains', value: '\0', error: 'It must be text.' },
    ])
    .run(async ({ assert }, { column, operator, value, error }) => {
      const { status, text } = await ask(filled(column, operator, value))
      assert.equal(status, 422)
      assert.include(unescape(text), error)
      assert.include(text, 'aria-invalid="true"')
      assert.include(text, 'id="filter-value-error"')
    })

  test('[L2] after another column is chosen, the form shows empty value fields again', async ({
    assert,
  }) => {
    const number = filled('visitors', 'gte', '5')
    const other = number.map(([name, value]): [string, string] =>
      name === 'add.column' ? [name, 'found_on'] : [name, value]
    )
    const { status, text } = await ask(other)
    assert.equal(status, 200)
    assert.match(text, /<input[^>]*id="filter-value"[^>]*type="date"/)
    assert.notInclude(text, 'value="5"')
    /* Another operator with the same fields keeps the value. */
    const stored = await ask(
      number.map(([name, value]): [string, string] =>
        name === 'add.operator' ? [name, 'lt'] : [name, value]
      )
    )
    assert.equal(stored.headers.get('location'), `${LIST}?filter.visitors__lt=5`)
  })

  test('[L1, L2] a list with fifty filters accepts no further filter', async ({ assert }) => {
    const many = Array.from({ length: 50 }, (): [string, string] => ['filter.visitors__gte', '1'])
    const { text } = await getList(cookie, `${LIST}?${new URLSearchParams(many)}`)
    assert.notInclude(text, 'id="add-filter"')
    const full = await ask([...many, ...filled('name', 'eq', 'x')])
    assert.equal(full.status, 200)
    assert.include(full.text, 'the maximum number of filters')
  })

  test('[L2, U4] the form does not offer a column that a role hides, or records of a model that the user cannot view', async ({
    assert,
  }) => {
    await makeRole('Guest', { Artefact: { actions: ['view'], hidden: ['visitors'] } })
    cookie = await cookiesOf(await makeUser('kim', { isSuperuser: false, roles: ['Guest'] }))
    const { text } = await ask({ 'add.column': 'visitors' })
    assert.isNotEmpty(columnsIn(text))
    assert.notInclude(columnsIn(text), 'visitors')
    assert.notInclude(text, 'filter-operator')
    const alcove = await ask({ 'add.column': 'alcove_code', 'add.operator': 'eq' })
    assert.notInclude(alcove.text, 'North wing')
    const choices = await get('/admin/Artefact/filter/choices/alcove_code', { headers: { cookie } })
    assert.equal(choices.status, 404)
  })

  test('[L2] a user who can only view the model can search the records for a filter', async ({
    assert,
  }) => {
    const choices = (model: string, field: string) =>
      get(`/admin/${model}/filter/choices/${field}?q=nor`, {
        headers: { cookie, accept: 'application/json' },
      })
    const { body } = await choices('Artefact', 'alcove_code')
    assert.deepEqual(body.choices, [{ value: 'n/1', label: 'North wing' }])
    /* In no form, and the model can't be changed at all. */
    for (const [model, field, status] of [
      ['Playback', 'mixed_at_id', 200],
      ['Artefact', 'insured_for', 404],
      ['Artefact', 'name', 404],
    ] as const) {
      const response = await choices(model, field)
      assert.equal(response.status, status, field)
    }
  })

  test('[G3] several values of a facet or enum can be selected as one filter', async ({
    assert,
  }) => {
    const rows = [
      ['Vase', 'n/1'],
      ['Vase', 's'],
      ['Cup', null],
      ['Cup, big', null],
    ] as const
    await db.table('list_alcoves').insert({ code: 's', name: 'South' })
    for (const [name, code] of rows) {
      await db.table('list_artefacts').insert({ name, alcove_code: code, insured_for: 7 })
    }
    const { text } = await ask({ 'add.column': 'alcove_code' })
    assert.deepEqual(ticks(text), ['(empty) 2', 'North wing 1', 'South 1'])
    const apply = async (...more: Array<[string, string]>) => {
      const { headers } = await ask(filled('alcove_code', 'in', [], more))
      return decodeURIComponent(headers.get('location')!)
    }
    assert.equal(await apply(['add.value', 's']), `${LIST}?filter.alcove_code=s`)
    assert.equal(
      await apply(['add.value', 'n/1'], ['add.value', 's']),
      `${LIST}?filter.alcove_code__in=n/1,s`
    )
    const both = await apply(['add.value', 's'], ['add.empty', '1'])
    assert.equal(both, `${LIST}?filter.alcove_code__or=eq:s,is:null`)
    assert.equal(await apply(['add.empty', '1']), `${LIST}?filter.alcove_code__is=null`)
    const none = await ask(filled('alcove_code', 'in'))
    assert.equal(none.status, 422)
    assert.include(none.text, 'Fill in a value.')
    const optional = await ask(filled('alcove_code', 'in', [], [['add.optional', '1']]))
    assert.equal(optional.headers.get('location'), LIST)
  })

  test('[G3, G3.4] values can be searched, and the selected ones stay selected', async ({
    assert,
  }) => {
    await db
      .table('list_alcoves')
      .multiInsert(
        Array.from({ length: 246 }, (_, index) => ({ code: `c${index}`, name: `Country ${index}` }))
      )
    for (const code of ['n/1', 'c24']) {
      await db.table('list_artefacts').insert({ name: 'Cup', alcove_code: code, insured_for: 7 })
    }
    const { text } = await ask([
      ['add.column', 'alcove_code'],
      ['add.operator', 'in'],
      ['add.for', 'several alcove_code'],
      ['add.value', 'n/1'],
      ['add.q', 'country 24'],
      ['add.find', '1'],
      ['add.apply', '1'],
    ])
    const [first, ...others] = ticks(text)
    assert.match(first, /^\[North wing/)
    assert.sameMembers(
      others.map((tick) => tick.replace(/ \d+$/, '')).filter((tick) => /^Country 24/.test(tick)),
      others.map((tick) => tick.replace(/ \d+$/, ''))
    )
    assert.lengthOf(others, 7)
    assert.match(first, / 1\]$/)
    assert.includeMembers(others, ['Country 24 1', 'Country 245 0'])
    assert.notInclude(text, 'There are more values.')
  })

  test('[G3] editing a filter replaces it in the URL and preserves the other filters: {filter}')
    .with([
      { filter: 'name__contains=a', operator: 'contains', values: ['a'] },
      { filter: 'not.name__contains=a', operator: 'not.contains', values: ['a'] },
      { filter: 'not.name=a', operator: 'ne', values: ['a'] },
      { filter: 'name__like=a%25', operator: 'like', values: ['a%'] },
      { filter: 'visitors__between=1,2000', operator: 'between', values: ['1', '2000'] },
      { filter: 'not.visitors__gte=5', operator: 'not.gte', values: ['5'] },
      { filter: 'found_on__between=today', operator: 'period', values: ['today'] },
      { filter: 'name__is=null', operator: 'empty', values: [] },
      { filter: 'not.name__is=null', operator: 'filled', values: [] },
      { filter: 'alcove_code__not_in=n/1', operator: 'not.in', values: ['n/1'] },
      { filter: 'any.4.alcove_code__or=eq:n/1,is:null', operator: 'in', values: ['n/1', ''] },
    ])
    .run(async ({ assert }, { filter, operator, values }) => {
      const query = `filter.weight__gt=1&filter.${filter}&filter.weight__lt=9`
      const { text } = await getList(cookie, `${LIST}?${query}`)
      const links = [...text.matchAll(/id="edit-filter-\d-0" href="([^"]*)"/g)]
      const form = await get(unescape(links[1][1]), { headers: { cookie } })
      const fields = fieldsIn(form.text)
      assert.equal(fields.find(([name]) => name === 'add.operator')![1], operator)
      const filledIn = fields.filter(([name]) => ['add.value', 'add.to'].includes(name))
      const isEmptyTicked = fields.some(([name]) => name === 'add.empty')
      assert.deepEqual(
        [...filledIn.map(([, value]) => value), ...(isEmptyTicked ? [''] : [])],
        values
      )
      /* Unchanged, it leads to a list with the same records, and with the filter where it was. */
      const { headers } = await ask([...fields, ['add.apply', '1']])
      const after = new URLSearchParams(headers.get('location')!.split('?')[1])
      const names = [...after.keys()]
      assert.lengthOf(names, 3)
      assert.equal(names[0], 'filter.weight__gt')
      assert.equal(names[2], 'filter.weight__lt')
      const isGrouped = filter.startsWith('any.')
      assert.equal(names[1].startsWith('filter.any.4.'), isGrouped)
      const [, removal] = /class="btn filter-remove"[^>]*href="([^"]*)"/.exec(form.text)!
      assert.equal(unescape(removal), `${LIST}?filter.weight__gt=1&filter.weight__lt=9`)
    })

  test('[G3] a filter that the form cannot express has no link to edit it', async ({ assert }) => {
    const { text } = await getList(cookie, `${LIST}?filter.on_loan__is_not=true&filter.name=a`)
    assert.deepEqual(
      [...text.matchAll(/id="(edit-filter-[^"]*)"/g)].map(([, id]) => id),
      ['edit-filter-1-0']
    )
  })

  test('[G3] adding an alternative makes a filter a group, and extends a group', async ({
    assert,
  }) => {
    const or = async (query: string) => {
      const { text } = await getList(cookie, `${LIST}?${query}`)
      const [, url] = /id="or-filter-0" href="([^"]*)"/.exec(text)!
      const given = new URLSearchParams(unescape(url).split('?')[1])
      return [...given] as Array<[string, string]>
    }
    const more = filled('visitors', 'gte', '5')
    const first = await ask([...(await or('filter.not.name=a&filter.weight__gt=1')), ...more])
    const query = 'filter.any.1.not.name=a&filter.any.1.visitors__gte=5&filter.weight__gt=1'
    assert.equal(first.headers.get('location'), `${LIST}?${query}`)
    const second = await ask([...(await or(query)), ...filled('name', 'empty')])
    assert.equal(
      second.headers.get('location'),
      `${LIST}?filter.any.1.not.name=a&filter.any.1.visitors__gte=5&filter.any.1.name__is=null&filter.weight__gt=1`
    )
  })

  test('[G3] with ten groups no further group can be added, but alternatives can', async ({
    assert,
  }) => {
    const groups = Array.from({ length: 10 }, (_, index) => `filter.any.${index}.name=a`)
    const { text } = await getList(cookie, `${LIST}?${groups.join('&')}&filter.weight__gt=1`)
    const links = [...text.matchAll(/id="or-filter-(\d+)"/g)].map(([, place]) => place)
    assert.deepEqual(links, [...'0123456789'])
    assert.include(text, 'id="add-filter"')
  })

  test('[L2] no value breaks out of the form’s markup: {$self}')
    .with([
      '"><script>alert(1)</script>',
      '" hx-get="/admin/logout" hx-trigger="load',
      '{{ 7919 * 7919 }}',
      'x'.repeat(5000),
      '__proto__',
      'constructor',
    ])
    .run(async ({ assert }, evil) => {
      const queries: Array<Record<string, string>> = [
        { 'add.column': evil },
        { 'add.column': 'name', 'add.operator': evil },
        {
          'add.column': 'visitors',
          'add.operator': 'gte',
          'add.for': 'one visitors',
          'add.value': evil,
          'add.apply': '1',
        },
        { [`filter.${evil}`]: evil },
      ]
      for (const query of queries) {
        const { status, text } = await ask(query)
        assert.oneOf(status, [200, 422])
        const tags = tagsOf(text).join('\n')
        assert.notInclude(tags, 'hx-get="/admin/logout"')
        assert.notInclude(text, '<script>alert(1)')
        assert.notInclude(text, '62710561')
      }
    })
})
