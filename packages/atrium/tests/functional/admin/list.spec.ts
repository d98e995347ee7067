import { test } from '@japa/runner'
import edge from 'edge.js'
import db from '@adonisjs/lucid/services/db'
import type { AdminUser } from '#admin'
import {
  adminSite,
  callRaw,
  cookiesOf,
  emptyAdminTables,
  fakeHashes,
  makeUser,
} from '#tests/helpers/admin'
import { get } from '#tests/helpers/http'
import { column, getList } from '#tests/helpers/list_page'

test.group('Admin | list', (group) => {
  let ada: AdminUser
  let cookie: string

  group.setup(() => fakeHashes())
  group.each.setup(async () => {
    await emptyAdminTables()
    await db.from('utensils').delete()
    ada = await makeUser('ada')
    cookie = await cookiesOf(ada)
  })

  const list = (query = '', headers = {}) => getList(cookie, `/admin/Utensil/${query}`, headers)

  async function markup(query = '', headers = {}): Promise<string> {
    const { text } = await list(query, headers)
    return text
  }

  async function rangeOf(query: string): Promise<string | undefined> {
    const { range } = await list(query)
    return range
  }

  /** Names of the utensils on the page. */
  const names = async (query: string) => column(await list(query), 1)

  /** Creates utensils with the names P1, P2 and so on. */
  async function makeUtensils(count: number, values: (number: number) => object = () => ({})) {
    const utensils = Array.from({ length: count }, (_, index) => ({
      id: index + 1,
      name: `P${index + 1}`,
      description: '',
      category: 'x',
      price: index + 1,
      created_at: '2026-01-02 03:04:05',
      ...values(index + 1),
    }))
    await db.table('utensils').multiInsert(utensils)
  }

  test('[S32, B2] the page contains the records in the layout of the site', async ({ assert }) => {
    await makeUtensils(3)
    const { status, headers, text, headings, rows, range } = await list()
    assert.equal(status, 200)
    assert.match(headers.get('content-type')!, /^text\/html/)
    assert.include(text, '<html')
    assert.include(text, 'class="side"')
    assert.include(text, '<div id="list-content"')
    assert.deepEqual(headings, [
      'ID',
      'Name',
      'Category',
      'Price',
      'SKU',
      'Last sold',
      'Description',
      'Created at',
    ])
    assert.deepEqual(rows[0], ['3', 'P3', 'x', '3', '–', '–', '', '2 Jan 2026, 03:04'])
    assert.lengthOf(rows, 3)
    assert.equal(range, '1–3 of 3')
  })

  test('[S32, S35] htmx receives only the content of the list, at the address of the list and at get_model_list', async ({
    assert,
  }) => {
    await makeUtensils(3)
    for (const path of ['/admin/Utensil/', '/admin/Utensil/get_model_list']) {
      const { status, text, headers, rows } = await getList(cookie, path, { 'hx-request': 'true' })
      assert.equal(status, 200)
      assert.match(text.trim(), /^<div id="list-content".*<\/div>$/s)
      assert.notMatch(text, /<html|<head>|<nav class="side"|<main/)
      assert.lengthOf(rows, 3)
      assert.match(headers.get('vary')!, /HX-Request/i)
    }
  })

  test('[S35] without htmx, get_model_list returns the whole page', async ({ assert }) => {
    await makeUtensils(12)
    const { status, text, rows } = await getList(cookie, '/admin/Utensil/get_model_list?page=2')
    assert.equal(status, 200)
    assert.include(text, '<html')
    assert.lengthOf(rows, 2)
    assert.include(text, 'action="/admin/Utensil/"')
    assert.notInclude(text, 'href="/admin/Utensil/get_model_list')
  })

  test('[S31, B26] a URL without the trailing slash redirects and preserves the query string', async ({
    assert,
  }) => {
    const query = '?b=2&a=%zz&a[]=x,y&search-input=%C3%84+%26&&page=3?&='
    for (const method of ['GET', 'HEAD']) {
      const response = await callRaw(method, `/admin/Utensil${query}`, { cookie })
      assert.equal(response.status, 307)
      assert.equal(response.headers.location, `/admin/Utensil/${query}`)
      assert.equal(response.text, '')
    }
    const bare = await callRaw('GET', '/admin/Utensil', { cookie })
    assert.equal(bare.headers.location, '/admin/Utensil/')
    const empty = await callRaw('GET', '/admin/Utensil?', { cookie })
    assert.equal(empty.headers.location, '/admin/Utensil/?')
    const htmx = await callRaw('GET', '/admin/Utensil?page=2', { cookie, 'hx-request': 'true' })
    assert.equal(htmx.status, 307)
  })

  test('[B26, S25] an anonymous request for a list is redirected to the login, with or without the trailing slash', async ({
    assert,
  }) => {
    for (const path of [
      '/admin/Utensil?page=2',
      '/admin/Utensil/',
      '/admin/Utensil/get_model_list',
    ]) {
      const { status, headers } = await get(path)
      assert.equal(status, 303, path)
      assert.match(headers.get('location')!, /^\/admin\/login\?/)
    }
    const { status, headers } = await get('/admin/Utensil?page=2', {
      headers: { 'hx-request': 'true' },
    })
    assert.equal(status, 401)
    assert.match(headers.get('hx-redirect')!, /^\/admin\/login/)
  })

  test("[S31] the URLs of the list's content need no trailing slash", async ({ assert }) => {
    for (const path of ['get_model_list', 'get_model_list/', 'table-content', 'table-content/']) {
      const { status } = await getList(cookie, `/admin/Utensil/${path}`)
      assert.equal(status, 200, path)
    }
  })

  test('[B16] by default the newest records come first', async ({ assert }) => {
    await makeUtensils(3)
    assert.deepEqual(await names(''), ['P3', 'P2', 'P1'])
  })

  test('[B16] the order of the view applies, and the key decides between equal values', async ({
    assert,
  }) => {
    await db.from('list_cash_books').delete()
    await db.table('list_cash_books').multiInsert([
      { title: 'a', amount: 1 },
      { title: 'b', amount: 5 },
      { title: 'c', amount: 5 },
    ])
    assert.deepEqual(column(await getList(cookie, '/admin/CashBook/'), 1), ['b', 'c', 'a'])
  })

  test('[S27] a page has ten records, and a page past the end is the last one', async ({
    assert,
  }) => {
    await makeUtensils(25)
    assert.deepEqual(await names(''), [
      'P25',
      'P24',
      'P23',
      'P22',
      'P21',
      'P20',
      'P19',
      'P18',
      'P17',
      'P16',
    ])
    assert.equal(await rangeOf('?page=2'), '11–20 of 25')
    assert.deepEqual(await names('?page=3'), ['P5', 'P4', 'P3', 'P2', 'P1'])
    assert.deepEqual(await names('?page=99'), await names('?page=3'))
    assert.deepEqual(await names(`?page=${'9'.repeat(30)}`), await names('?page=3'))
    assert.deepEqual(await names('?page=0'), await names('?page=1'))
    assert.deepEqual(await names('?page=-4'), await names('?page=1'))
  })

  test('[S27, B15] the page size can be chosen; an invalid one is reset', async ({ assert }) => {
    await makeUtensils(25)
    const counts: Array<[string, number, string]> = [
      ['?rows-per-page-select=20', 20, 'P25'],
      ['?rows-per-page-select=100', 25, 'P25'],
      ['?rows-per-page-select=7&page=2', 7, 'P18'],
      ['?rows-per-page-select=101&page=2', 10, 'P15'],
      ['?rows-per-page-select=0&page=2', 10, 'P15'],
      ['?rows-per-page-select=20&page=x', 10, 'P25'],
      ['?rows-per-page-select=x&page=2', 10, 'P25'],
    ]
    for (const [query, count, first] of counts) {
      const shown = await names(query)
      assert.lengthOf(shown, count, query)
      assert.equal(shown[0], first, query)
    }
  })

  test('[B15] the list offers page sizes of 10, 20, 50 and 100, and marks the current one', async ({
    assert,
  }) => {
    await makeUtensils(11)
    const offered = (text: string) => [...text.matchAll(/id="rows-(\d+)"/g)].map(([, rows]) => rows)
    assert.deepEqual(offered(await markup()), ['10', '20', '50', '100'])
    const { text } = await list('?rows-per-page-select=33')
    assert.deepEqual(offered(text), ['10', '20', '33', '50', '100'])
    assert.match(text, /<a id="rows-33"[^>]*aria-current="true"/)
  })

  test('[L6] the last chosen page size is used when the list is opened again', async ({
    assert,
  }) => {
    await makeUtensils(25)
    const referer = `${process.env.APP_URL ?? 'http://localhost:3333'}/admin/Utensil/`
    const from = (query: string) => ({
      'referer': referer + query,
      'sec-fetch-site': 'same-origin',
    })
    const count = async (query = '', headers = {}) => column(await list(query, headers), 1).length

    assert.equal(await count('?rows-per-page-select=20'), 20)
    assert.equal(await count(), 10, 'a typed address is no choice')
    const foreign = { ...from(''), 'sec-fetch-site': 'cross-site' }
    await count('?rows-per-page-select=20', foreign)
    assert.equal(await count(), 10, 'a link of another site is no choice')
    await count('?rows-per-page-select=20&page=2', from('?rows-per-page-select=20'))
    assert.equal(await count(), 10, 'another page of the same size is no choice')

    const { text } = await list('?rows-per-page-select=20', from(''))
    assert.match(text, /id="rows-10" href="[^"]*\?rows-per-page-select=10"/)
    assert.equal(await count(), 20)
    assert.equal(await count('?sort_by=name'), 10, 'an address that names something is complete')

    await count('?rows-per-page-select=10', from(''))
    assert.equal(await count(), 10)
  })

  test('[S28] the list can be sorted by a column in either direction', async ({ assert }) => {
    await makeUtensils(3, (number) => ({ price: [5, 1, 3][number - 1], category: 'same' }))
    assert.deepEqual(await names('?sort_by=price'), ['P2', 'P3', 'P1'])
    assert.deepEqual(await names('?sort_by=price&sort_order=asc'), ['P2', 'P3', 'P1'])
    assert.deepEqual(await names('?sort_by=price&sort_order=desc'), ['P1', 'P3', 'P2'])
    assert.deepEqual(await names('?sort_by=category&sort_order=desc'), ['P1', 'P2', 'P3'])
  })

  test('[S28, B15] the sort column None, unknown columns and unknown directions are ignored')
    .with([
      'sort_by=None',
      'sort_by=None&sort_order=desc',
      'sort_by=nowhere',
      'sort_by=lastSold',
      'sort_by=1;drop',
    ])
    .run(async ({ assert }, query) => {
      await makeUtensils(3, (number) => ({ price: [5, 1, 3][number - 1] }))
      assert.deepEqual(await names(`?${query}`), ['P3', 'P2', 'P1'])
      assert.include(await markup(`?${query}`), 'aria-sort="descending"')
    })

  test('[S28] the header cells show the order and link to the reverse order', async ({
    assert,
  }) => {
    await makeUtensils(1)
    const { text } = await list('?sort_by=price&sort_order=asc&rows-per-page-select=20')
    const heading = (name: string) =>
      new RegExp(
        `<th[^>]*aria-sort="(\\w+)"[^>]*>\\s*<a id="sort-${name}" href="([^"]*)" hx-get="([^"]*)"`,
        's'
      )
        .exec(text)!
        .slice(1)
    const rows = 'rows-per-page-select=20'
    const down = `/admin/Utensil/?sort_by=price&amp;sort_order=desc&amp;${rows}`
    assert.deepEqual(heading('price'), ['ascending', down, down])
    const up = `/admin/Utensil/?sort_by=name&amp;sort_order=asc&amp;${rows}`
    assert.deepEqual(heading('name'), ['none', up, up])
  })

  test('[S27] links to other pages of the list preserve its parameters', async ({ assert }) => {
    await makeUtensils(45)
    const stored = 'column-to-search=name&search-input=P&sort_by=price&sort_order=desc'
    const { text } = await list(`?${stored}&page=2`)
    const link = (id: string) =>
      new RegExp(`id="${id}"[^>]*?href="([^"]*)"`).exec(text)![1].replaceAll('&amp;', '&')
    assert.equal(link('next-page'), `/admin/Utensil/?${stored}&page=3`)
    assert.equal(link('previous-page'), `/admin/Utensil/?${stored}`)
    assert.equal(link('page-5'), `/admin/Utensil/?${stored}&page=5`)
    assert.equal(link('rows-20'), `/admin/Utensil/?${stored}&rows-per-page-select=20`)
    assert.equal(link('clear-search'), '/admin/Utensil/?sort_by=price&sort_order=desc')
    assert.match(text, /<a id="page-2"[^>]*aria-current="page"/)
  })

  test('[B16] soft-deleted records are shown only if requested', async ({ assert }) => {
    await makeUtensils(3, (number) => ({ is_deleted: number === 2 }))
    assert.deepEqual(await names(''), ['P3', 'P1'])
    assert.deepEqual(await names('?deleted=include'), ['P3', 'P2', 'P1'])
    assert.deepEqual(await names('?deleted=only'), ['P2'])
    assert.deepEqual(await names('?deleted=nonsense'), ['P3', 'P1'])
    assert.equal(await rangeOf('?deleted=only'), '1–1 of 1')
  })

  test('[B16] models with soft deletion have a switch for deleted records', async ({ assert }) => {
    await makeUtensils(1, () => ({ is_deleted: true }))
    const { text } = await list('?deleted=include')
    assert.match(text, /<a id="deleted-exclude" href="\/admin\/Utensil\/"/)
    assert.match(text, /<a id="deleted-include"[^>]*aria-current="true"/)
    assert.match(text, /<a id="deleted-only" href="\/admin\/Utensil\/\?deleted=only"/)
    assert.match(text, /<tr class="is-deleted">/)
    const reels = await getList(cookie, '/admin/Reel/')
    assert.notInclude(reels.text, 'deleted=only')
  })

  test('[B16, R16] a deleted record is marked, and links to its page instead of the form', async ({
    assert,
  }) => {
    await makeUtensils(2, (number) => ({ is_deleted: number === 1 }))
    const { text } = await list('?deleted=include')
    assert.include(text, 'href="/admin/Utensil/update/2"')
    assert.notInclude(text, 'href="/admin/Utensil/update/1"')
    const page = '/admin/Utensil/view/1'
    assert.include(text, `<a href="${page}">P1</a> <span class="deleted-mark">Deleted</span>`)
    const { status } = await get(page, { headers: { cookie } })
    assert.equal(status, 200)
  })

  test('[S27] the pager has a form that opens a page by its number and preserves the parameters of the list', async ({
    assert,
  }) => {
    await makeUtensils(65)
    const form = /<form class="pager-jump".*?<\/form>/s
    const few = await list('?rows-per-page-select=20')
    assert.notMatch(few.text, form)
    const query = '?column-to-search=name&search-input=P&sort_by=name&sort_order=desc'
    const second = await list(`${query}&page=2`)
    const [jump] = form.exec(second.text)!
    assert.match(jump, /action="\/admin\/Utensil\/"/)
    assert.match(jump, /name="page" value="2" min="1" max="7"/)
    const fields = new URLSearchParams()
    for (const [, name, value] of jump.matchAll(/type="hidden" name="(.*?)" value="(.*?)"/g)) {
      fields.append(name, value)
    }
    assert.equal(`?${fields}`, query)
  })

  test('[S26, B14] a list page offers only the actions that the view allows', async ({
    assert,
  }) => {
    await makeUtensils(1)
    const all = await list()
    assert.include(all.text, 'href="/admin/Utensil/create_page"')
    assert.include(all.text, 'Add utensil')
    assert.include(all.text, 'href="/admin/Utensil/update/1"')
    assert.include(all.text, '<form id="bulk"')
    assert.match(all.text, /name="ids" value="1" data-title="P1"[^>]* aria-label="Select P1"/)

    await db.from('list_closed_files').delete()
    await db.table('list_closed_files').insert({ title: 'Cold case' })
    const some = await getList(cookie, '/admin/ClosedFile/')
    assert.deepEqual(column(some, 1), ['Cold case'])
    assert.notMatch(
      some.text,
      /create_page|\/update\/|\/bulk-(edit|delete|restore)|form_bulk_delete/
    )
    /* Records are ticked to be exported, and for nothing else. */
    const tasks = [...some.text.matchAll(/name="action" value="([^"]*)"/g)]
    assert.deepEqual(
      tasks.map(([, task]) => task),
      ['compare', 'export']
    )
  })

  test('the form for bulk actions contains the URL of the list with its order and page', async ({
    assert,
  }) => {
    await makeUtensils(12)
    const { text } = await list('?page=2&sort_by=name&sort_order=asc')
    assert.include(text, 'method="post" action="/admin/Utensil/form_bulk_delete"')
    const next = '/admin/Utensil/?sort_by=name&amp;sort_order=asc&amp;page=2'
    assert.include(text, `<input type="hidden" name="next" value="${next}">`)
  })

  test('[B24] every element that htmx enhances is also a link or a form with the same URL', async ({
    assert,
  }) => {
    await makeUtensils(25)
    const { text } = await list('?page=2&column-to-search=name&search-input=P')
    const elements = text.match(/<[^>]*hx-get="[^>]*>/g)!
    assert.isAbove(elements.length, 15)
    for (const element of elements) {
      const [, place] = /hx-get="([^"]*)"/.exec(element)!
      assert.match(element, /^<(a|form) /)
      assert.isTrue(element.includes(`href="${place}"`) || element.includes(`action="${place}"`))
    }
  })

  test('[S32] a response to htmx sets the URL without default parameters, unless that is the current URL', async ({
    assert,
  }) => {
    await makeUtensils(25)
    const address = async (path: string, from: string) => {
      const current = { 'hx-request': 'true', 'hx-current-url': `http://localhost${from}` }
      const { headers } = await getList(cookie, path, current)
      return headers.get('hx-push-url')
    }
    const from = '/admin/Utensil/'
    const searched = '/admin/Utensil/?search-input=P&column-to-search=name&page=1'
    const clean = '/admin/Utensil/?column-to-search=name&search-input=P'
    assert.equal(await address(searched, from), clean)
    assert.equal(await address('/admin/Utensil/?page=99', from), '/admin/Utensil/?page=3')
    assert.equal(await address('/admin/Utensil/?search-input=', from), 'false')
    assert.equal(await address(searched, clean), 'false')
    assert.equal(await address('/admin/Utensil/?page=2', 'nonsense'), '/admin/Utensil/?page=2')
    assert.isNull(await address('/admin/Utensil/get_model_list?page=2', from))
  })

  test('[L13] an empty list has links to add the first record and to import, if the user can do that', async ({
    assert,
  }) => {
    const { text, status } = await list()
    assert.equal(status, 200)
    assert.include(text, 'No utensils yet')
    assert.include(text, 'Add the first utensil or import a file, and they appear here.')
    assert.match(text, /<a [^>]*href="\/admin\/Utensil\/create_page">Add the first utensil<\/a>/)
    assert.match(text, /<a [^>]*href="\/admin\/Utensil\/import">Import<\/a>/)
    assert.lengthOf(text.match(/href="\/admin\/Utensil\/import"/g)!, 1)
    assert.notInclude(text, 'id="export-list"')
    assert.notInclude(text, '<table')
    assert.notInclude(text, 'list-search')

    await db.from('list_closed_files').delete()
    const closed = await getList(cookie, '/admin/ClosedFile/')
    assert.include(closed.text, 'No closed files yet')
    assert.notInclude(closed.text, 'create_page')
  })

  test('[L13] a search without results has a link that clears the search', async ({ assert }) => {
    await makeUtensils(1)
    const { text } = await list(
      '?column-to-search=name&search-input=%3Cb%3E&sort_by=name&sort_order=asc'
    )
    assert.include(text, 'Nothing found')
    assert.include(text, 'No utensil has “&lt;b&gt;” in Name.')
    const clear = '/admin/Utensil/?sort_by=name&amp;sort_order=asc'
    assert.include(text, `id="empty-link" href="${clear}" hx-get="${clear}"`)
    assert.include(await markup('?deleted=only'), 'No utensil is deleted.')
  })

  test('[S34] a custom template replaces the page and gets the same variables', async ({
    assert,
    cleanup,
  }) => {
    await makeUtensils(3)
    const site = await adminSite()
    const view = site.models.get('Utensil')!
    const template = '{{ site.title }}: {{ model_name }}, {{ total_items }}, {{ items[0].name }}'
    edge.registerTemplate('list_of_ones_own', { template })
    view.templates.list = 'list_of_ones_own'
    cleanup(() => {
      view.templates.list = undefined
      edge.removeTemplate('list_of_ones_own')
    })
    assert.equal(await markup(), 'Atrium: Utensil, 3, P3')
    assert.include(await markup('', { 'hx-request': 'true' }), '<div id="list-content"')
  })

  test('[S56, B22] the table of a list can be requested without the page around it', async ({
    assert,
  }) => {
    await makeUtensils(25)
    const table = (query: string) => getList(cookie, `/admin/Utensil/table-content${query}`)
    const countOf = async (query: string) => {
      const { rows } = await table(query)
      return rows.length
    }
    const { status, text, rows } = await table('')
    assert.equal(status, 200)
    assert.notMatch(text, /<html|id="list-content"|class="list-foot"/)
    assert.match(text.trim(), /^<div class="table-container.*<table.*<\/table>\s*<\/div>$/s)
    assert.lengthOf(rows, 10)
    assert.deepEqual(column(await table('?page=3'), 1), ['P5', 'P4', 'P3', 'P2', 'P1'])
    assert.equal(await countOf('?rows-per-page-select=20'), 20)
    for (const query of ['?page=x&rows-per-page-select=20', '?page=2&rows-per-page-select=x']) {
      const reset = await table(query)
      assert.lengthOf(reset.rows, 10)
      assert.equal(reset.rows[0][1], 'P25')
    }
    assert.deepEqual(column(await table('?column-to-search=name&search=p25'), 1), ['P25'])
    assert.equal(await countOf('?column-to-search=nowhere&search=p25'), 10)
    assert.equal(await countOf('?column-to-search=name&search-input=p25'), 10)
  })
})
