import { test } from '@japa/runner'
import type { ModelView } from '#admin'
import { ListParameters } from '#admin/list/list_parameters'
import { adminSite } from '#tests/helpers/admin'

test.group('Parameters of a list', (group) => {
  let artefact: ModelView
  let utensil: ModelView
  let cashBook: ModelView
  let cabin: ModelView

  group.setup(async () => {
    const { models } = await adminSite()
    artefact = models.get('Artefact')!
    utensil = models.get('Utensil')!
    cashBook = models.get('CashBook')!
    cabin = models.get('Cabin')!
  })

  const read = (query: string, view = artefact) => ListParameters.read(view, query)

  /** As in `name`, or `-name` where it runs down. */
  const order = ({ sorts }: ListParameters) =>
    sorts.map(({ column, direction }) => (direction === 'desc' ? '-' : '') + column.wire)

  test('[S27, S28, S29] of what is not said, the default holds', ({ assert }) => {
    const parameters = read('')
    assert.equal(parameters.page, 1)
    assert.equal(parameters.rows, 10)
    assert.isNull(parameters.sort)
    assert.isNull(parameters.column)
    assert.equal(parameters.search, '')
    assert.isNull(parameters.condition)
    assert.equal(parameters.deleted, 'exclude')
  })

  test('[S27] a page below 1 is page 1, and keeps the rows')
    .with(['0', '-1', '-999999999999999999999'])
    .run(({ assert }, page) => {
      const parameters = read(`page=${page}&rows-per-page-select=20`)
      assert.deepEqual([parameters.page, parameters.rows], [1, 20])
    })

  test('[S27] what is no integer resets the page and the rows')
    .with([
      'page=abc&rows-per-page-select=50',
      'page=1.5&rows-per-page-select=50',
      'page=&rows-per-page-select=50',
      'page=1e3&rows-per-page-select=50',
      'page=NaN&rows-per-page-select=50',
      'page=4&rows-per-page-select=many',
      'page=4&rows-per-page-select=',
      'page=4&rows-per-page-select=20.0',
    ])
    .run(({ assert }, query) => {
      const parameters = read(query)
      assert.deepEqual([parameters.page, parameters.rows], [1, 10])
    })

  test('[S27] a page beyond all counting is still an integer', ({ assert }) => {
    const { page, rows } = read(`page=${'9'.repeat(40)}&rows-per-page-select=20`)
    assert.deepEqual([page, rows], [Number.MAX_SAFE_INTEGER, 20])
  })

  test('[B15] from 1 to 100 rows are accepted; others reset them alone', ({ assert }) => {
    for (const rows of [1, 7, 10, 20, 50, 99, 100]) {
      const parameters = read(`page=3&rows-per-page-select=${rows}`)
      assert.deepEqual([parameters.page, parameters.rows], [3, rows])
    }
    for (const rows of [0, -5, 101, 1_000_000]) {
      const parameters = read(`page=3&rows-per-page-select=${rows}`)
      assert.deepEqual([parameters.page, parameters.rows], [3, 10])
    }
  })

  test('[S28] sorted by a column, up unless it is said down', ({ assert }) => {
    assert.deepEqual(order(read('sort_by=name')), ['name'])
    assert.deepEqual(order(read('sort_by=name&sort_order=asc')), ['name'])
    assert.deepEqual(order(read('sort_by=name&sort_order=desc')), ['-name'])
    assert.deepEqual(order(read('sort_by=name&sort_order=DESC')), ['-name'])
    assert.deepEqual(order(read('sort_by=name&sort_order=sideways')), ['name'])
  })

  test('[S28] the word None means none', ({ assert }) => {
    assert.isNull(read('sort_by=None&sort_order=asc').sort)
    assert.isNull(read('sort_by=None&sort_order=None').sort)
    assert.deepEqual(order(read('sort_by=name&sort_order=None')), ['name'])
  })

  test('[B15] what the list can not be sorted by is ignored')
    .with(['nowhere', 'insured_for', 'insuredFor', 'onLoan', 'details', 'picture', 'caption', ''])
    .run(({ assert }, name) => {
      assert.isNull(read(`sort_by=${name}`).sort)
    })

  test('[B16] without a sort it is by key, the newest first, or as the view says', ({ assert }) => {
    assert.deepEqual(order(read('')), ['-id'])
    assert.deepEqual(order(read('', cabin)), ['-deck', '-letter'])
    assert.deepEqual(order(read('', cashBook)), ['-amount'])
    assert.deepEqual(order(read('sort_by=title', cashBook)), ['title'])
  })

  test('[S29] a search needs a column that is shown')
    .with(['nowhere', 'insured_for', 'onLoan', 'caption', 'None', ''])
    .run(({ assert }, name) => {
      const parameters = read(`column-to-search=${name}&search-input=7`)
      assert.isNull(parameters.column)
      assert.equal(parameters.search, '')
      assert.isNull(parameters.condition)
    })

  test('[S29] of what the view can be searched by, if it says so', ({ assert }) => {
    assert.equal(read('column-to-search=title', cashBook).column?.wire, 'title')
    assert.isNull(read('column-to-search=remark&search-input=a', cashBook).condition)
    assert.isNotNull(read('column-to-search=title&search-input=a', cashBook).condition)
    assert.equal(read('column-to-search=insured_for').column, null)
  })

  test('[S29] a shown column that can not be searched keeps its text, and filters nothing', ({
    assert,
  }) => {
    for (const [name, view] of [
      ['found_on', artefact],
      ['details', artefact],
      ['remark', cashBook],
    ] as const) {
      const parameters = read(`column-to-search=${name}&search-input=1949`, view)
      assert.equal(parameters.column?.wire, name)
      assert.equal(parameters.search, '1949')
      assert.isNull(parameters.condition)
      assert.include(parameters.url, `column-to-search=${name}&search-input=1949`)
    }
  })

  test('[S28, S34] the order is up where nothing is said, and none where None is', ({ assert }) => {
    assert.equal(read('').order, 'asc')
    assert.equal(read('sort_order=DESC').order, 'desc')
    assert.equal(read('sort_by=name&sort_order=sideways').order, 'asc')
    assert.isNull(read('sort_by=name&sort_order=None').order)
    assert.isNull(read('sort_order=None').with({ page: 2 }).order)
  })

  test('[S29] the text is trimmed, and an empty one searches for nothing', ({ assert }) => {
    assert.equal(read('column-to-search=name&search-input=%20%09a%20b+').search, 'a b')
    const blank = read('column-to-search=name&search-input=+++')
    assert.equal(blank.search, '')
    assert.isNull(blank.condition)
    assert.equal(blank.column?.wire, 'name')
  })

  test('[B16] deleted records, where there are some', ({ assert }) => {
    assert.equal(read('deleted=include', utensil).deleted, 'include')
    assert.equal(read('deleted=only', utensil).deleted, 'only')
    for (const mode of ['exclude', 'all', '', 'ONLY', 'true']) {
      assert.equal(read(`deleted=${mode}`, utensil).deleted, 'exclude')
    }
    assert.equal(read('deleted=only').deleted, 'exclude')
  })

  test('of several values the last counts, brackets and broken signs are no fault', ({
    assert,
  }) => {
    assert.equal(read('page=2&page=3').page, 3)
    assert.equal(read('page[]=2').page, 1)
    assert.equal(read('column-to-search=name&search-input=%zz%ff').search, '%zz\ufffd')
    assert.equal(read('&&=&page').page, 1)
  })

  test('its address says all that is not as usual, and reads back the same', ({ assert }) => {
    assert.equal(read('', utensil).url, '/admin/Utensil/')
    const address =
      '/admin/Utensil/?column-to-search=name&search-input=50%25+%26+%22%3C%C3%84&deleted=only&sort_by=price&sort_order=desc&rows-per-page-select=20&page=3'
    const parameters = read(new URL(address, 'http://x').search, utensil)
    assert.equal(parameters.search, '50% & "<Ä')
    assert.equal(parameters.url, address)
    assert.equal(parameters.with({ page: 1, search: '' }).url.includes('search-input'), false)
    assert.equal(parameters.with({ page: 1, search: '' }).url.includes('page=1'), false)
  })

  test('what can not be looked for stays in the address, and filters nothing', ({ assert }) => {
    const parameters = read('column-to-search=price&search-input=abc', utensil)
    assert.isNull(parameters.condition)
    assert.include(parameters.url, 'search-input=abc')
  })

  test('[S27, S30] what it asks of the CRUD object', ({ assert }) => {
    const request = read(
      'page=3&rows-per-page-select=20&column-to-search=visitors&search-input=7&sort_by=name'
    ).toRequest()
    assert.deepInclude(request.paging, { offset: 40, limit: 20 })
    assert.equal(request.deleted, 'exclude')
    const [condition, ...others] = request.conditions
    assert.deepInclude(condition, { type: 'compare', operator: 'eq', value: 7 })
    assert.isEmpty(others)
    assert.deepEqual(
      request.sorts.map(({ column }) => column.wire),
      ['name']
    )
  })

  test('[S56] of the table partial, what is searched for stands in search', ({ assert }) => {
    const query = 'column-to-search=name&search=vase&search-input=other'
    assert.equal(ListParameters.read(artefact, query, 'search').search, 'vase')
  })
})
