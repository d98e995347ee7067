import { test } from '@japa/runner'
import type { ModelView } from '#admin'
import { ListParameters } from '#admin/list/list_parameters'
import { NO_SETTINGS } from '#admin/list/saved_views/list_settings'
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

  /** Order in short: `name`, or `-name` if descending. */
  const order = ({ sorts }: ListParameters) =>
    sorts.map(({ column, direction }) => (direction === 'desc' ? '-' : '') + column.apiName)

  test('[S27, S28, S29] missing parameters of a list have defaults', ({ assert }) => {
    const parameters = read('')
    assert.equal(parameters.page, 1)
    assert.equal(parameters.rows, 10)
    assert.isNull(parameters.sort)
    assert.isNull(parameters.column)
    assert.equal(parameters.search, '')
    assert.isNull(parameters.condition)
    assert.equal(parameters.deleted, 'exclude')
  })

  test('[S27] without parameters the page size is the last choice of the user, or else rowsPerPage', ({
    assert,
  }) => {
    const wide = Object.create(artefact, {
      options: { value: { ...artefact.options, rowsPerPage: 25 } },
    })
    const rowsOf = (query: string, rows: number | null = null) =>
      ListParameters.read(wide, query, undefined, undefined, { ...NO_SETTINGS, rows })
    assert.equal(rowsOf('').rows, 25)
    assert.equal(rowsOf('', 50).rows, 50)
    assert.equal(rowsOf('page=2', 50).rows, 10)
    assert.equal(rowsOf('rows-per-page-select=x', 50).rows, 10)
    assert.match(rowsOf('', 50).urlOf(2), /\?rows-per-page-select=50&page=2$/)
    assert.match(rowsOf('', 50).with({ rows: 10 }).url, /\?rows-per-page-select=10$/)
    assert.match(rowsOf('').plain.url, /\?rows-per-page-select=25$/)
  })

  test('[S27] a page number below 1 becomes 1, and the page size is preserved')
    .with(['0', '-1', '-999999999999999999999'])
    .run(({ assert }, page) => {
      const parameters = read(`page=${page}&rows-per-page-select=20`)
      assert.deepEqual([parameters.page, parameters.rows], [1, 20])
    })

  test('[S27] a page or page size that is not an integer resets both: {$self}')
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

  test('[S27] a huge page number is limited to a safe integer', ({ assert }) => {
    const { page, rows } = read(`page=${'9'.repeat(40)}&rows-per-page-select=20`)
    assert.deepEqual([page, rows], [Number.MAX_SAFE_INTEGER, 20])
  })

  test('[B15] page sizes from 1 to 100 are accepted, and others are reset to the default', ({
    assert,
  }) => {
    for (const rows of [1, 7, 10, 20, 50, 99, 100]) {
      const parameters = read(`page=3&rows-per-page-select=${rows}`)
      assert.deepEqual([parameters.page, parameters.rows], [3, rows])
    }
    for (const rows of [0, -5, 101, 1_000_000]) {
      const parameters = read(`page=3&rows-per-page-select=${rows}`)
      assert.deepEqual([parameters.page, parameters.rows], [3, 10])
    }
  })

  test('[S28] a list is sorted in ascending order by default', ({ assert }) => {
    assert.deepEqual(order(read('sort_by=name')), ['name'])
    assert.deepEqual(order(read('sort_by=name&sort_order=asc')), ['name'])
    assert.deepEqual(order(read('sort_by=name&sort_order=desc')), ['-name'])
    assert.deepEqual(order(read('sort_by=name&sort_order=DESC')), ['-name'])
    assert.deepEqual(order(read('sort_by=name&sort_order=sideways')), ['name'])
  })

  test('[S28] the sort column None means that the list is not sorted', ({ assert }) => {
    assert.isNull(read('sort_by=None&sort_order=asc').sort)
    assert.isNull(read('sort_by=None&sort_order=None').sort)
    assert.deepEqual(order(read('sort_by=name&sort_order=None')), ['name'])
  })

  test("[B15] a column that can't be sorted by is ignored")
    .with(['nowhere', 'insured_for', 'insuredFor', 'onLoan', 'details', 'picture', 'caption', ''])
    .run(({ assert }, name) => {
      assert.isNull(read(`sort_by=${name}`).sort)
    })

  test('[B16] the default order is by key, newest first, or that of the view', ({ assert }) => {
    assert.deepEqual(order(read('')), ['-id'])
    assert.deepEqual(order(read('', cabin)), ['-deck', '-letter'])
    assert.deepEqual(order(read('', cashBook)), ['-amount'])
    assert.deepEqual(order(read('sort_by=title', cashBook)), ['title'])
  })

  test('[S29] a search in a column that is unknown or not visible is ignored: {$self}')
    .with(['nowhere', 'insured_for', 'onLoan', 'caption', 'None', ''])
    .run(({ assert }, name) => {
      const parameters = read(`column-to-search=${name}&search-input=7`)
      assert.isNull(parameters.column)
      assert.equal(parameters.search, '')
      assert.isNull(parameters.condition)
    })

  test('[S29] the option for searchable columns restricts the search', ({ assert }) => {
    assert.equal(read('column-to-search=title', cashBook).column?.apiName, 'title')
    assert.isNull(read('column-to-search=remark&search-input=a', cashBook).condition)
    assert.isNotNull(read('column-to-search=title&search-input=a', cashBook).condition)
    assert.equal(read('column-to-search=insured_for').column, null)
  })

  test("[S29] a visible column that can't be searched preserves the search text and does not filter", ({
    assert,
  }) => {
    for (const [name, view] of [
      ['found_on', artefact],
      ['details', artefact],
      ['remark', cashBook],
    ] as const) {
      const parameters = read(`column-to-search=${name}&search-input=1949`, view)
      assert.equal(parameters.column?.apiName, name)
      assert.equal(parameters.search, '1949')
      assert.isNull(parameters.condition)
      assert.include(parameters.url, `column-to-search=${name}&search-input=1949`)
    }
  })

  test('[S28, S34] the order is ascending by default, and null for the sort column None', ({
    assert,
  }) => {
    assert.equal(read('').order, 'asc')
    assert.equal(read('sort_order=DESC').order, 'desc')
    assert.equal(read('sort_by=name&sort_order=sideways').order, 'asc')
    assert.isNull(read('sort_by=name&sort_order=None').order)
    assert.isNull(read('sort_order=None').with({ page: 2 }).order)
  })

  test('[B16] the deleted parameter applies only if the model has soft deletion', ({ assert }) => {
    assert.equal(read('deleted=include', utensil).deleted, 'include')
    assert.equal(read('deleted=only', utensil).deleted, 'only')
    for (const mode of ['exclude', 'all', '', 'ONLY', 'true']) {
      assert.equal(read(`deleted=${mode}`, utensil).deleted, 'exclude')
    }
    assert.equal(read('deleted=only').deleted, 'exclude')
  })

  test('the last of several values applies, and brackets and malformed encoding cause no error', ({
    assert,
  }) => {
    assert.equal(read('page=2&page=3').page, 3)
    assert.equal(read('page[]=2').page, 1)
    assert.equal(read('column-to-search=name&search-input=%zz%ff').search, '%zz\ufffd')
    assert.equal(read('&&=&page').page, 1)
  })

  test('the URL contains the parameters that differ from the defaults, and is parsed to the same parameters', ({
    assert,
  }) => {
    assert.equal(read('', utensil).url, '/admin/Utensil/')
    const address =
      '/admin/Utensil/?column-to-search=name&search-input=50%25+%26+%22%3C%C3%84&deleted=only&sort_by=price&sort_order=desc&rows-per-page-select=20&page=3'
    const parameters = read(new URL(address, 'http://x').search, utensil)
    assert.equal(parameters.search, '50% & "<Ä')
    assert.equal(parameters.url, address)
    assert.equal(parameters.with({ page: 1, search: '' }).url.includes('search-input'), false)
    assert.equal(parameters.with({ page: 1, search: '' }).url.includes('page=1'), false)
  })

  test("a text that can't be searched for is preserved in the URL and does not filter", ({
    assert,
  }) => {
    const parameters = read('column-to-search=price&search-input=abc', utensil)
    assert.isNull(parameters.condition)
    assert.include(parameters.url, 'search-input=abc')
  })

  test('[S27, S30] the parameters are converted to a request to the CRUD object', ({ assert }) => {
    const request = read(
      'page=3&rows-per-page-select=20&column-to-search=visitors&search-input=7&sort_by=name'
    ).toRequest()
    assert.deepInclude(request.paging, { offset: 40, limit: 20 })
    assert.equal(request.deleted, 'exclude')
    const [condition, ...others] = request.conditions
    assert.deepInclude(condition, { type: 'compare', operator: 'eq', value: 7 })
    assert.isEmpty(others)
    assert.deepEqual(
      request.sorts.map(({ column }) => column.apiName),
      ['name']
    )
  })

  test('[S56] in the URL of the table alone, the search text is in the parameter search', ({
    assert,
  }) => {
    const query = 'column-to-search=name&search=vase&search-input=other'
    assert.equal(ListParameters.read(artefact, query, 'search').search, 'vase')
  })
})
