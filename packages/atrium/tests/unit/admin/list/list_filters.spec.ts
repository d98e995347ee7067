import { test } from '@japa/runner'
import fc from 'fast-check'
import type { ModelView } from '#admin'
import { ListParameters } from '#admin/list/list_parameters'
import { adminSite } from '#tests/helpers/admin'
import { daysOf, PERIOD_NAMES } from '#admin/list/list_filters'

test.group('Filters of a list', (group) => {
  let artefact: ModelView
  let utensil: ModelView

  group.setup(async () => {
    const { models } = await adminSite()
    artefact = models.get('Artefact')!
    utensil = models.get('Utensil')!
  })

  const read = (query: string, view = artefact) => ListParameters.read(view, query)
  const one = (query: string) => read(query).filters[0]

  test('[L1] names and values are those of the API, also for columns without filterConfig', ({
    assert,
  }) => {
    assert.deepInclude(one('filter.name=Vase').condition, { type: 'compare', value: 'Vase' })
    assert.deepInclude(one('filter.visitors__gte=7').condition, { operator: 'gte', value: 7 })
    assert.deepInclude(one('filter.visitors__in=1,2').condition, { values: [1, 2] })
    assert.deepInclude(one('filter.name__is=null').condition, { type: 'null', negate: false })
    assert.equal(one('filter.name__or=startswith:A,is:null').condition!.type, 'or')
    assert.deepInclude(one('filter.found_on__between=2024-01-01,2024-02-29').condition, {
      from: '2024-01-01',
      to: '2024-02-29',
    })
    const { name, text, column, operator, error } = one('filter.visitors__gte=7')
    assert.deepEqual(
      [name, text, column!.apiName, operator, error],
      ['visitors__gte', '7', 'visitors', 'gte', null]
    )
  })

  test('[L1] an unknown name of a filter is preserved in the URL and filters nothing: {$self}')
    .with([
      ...['nothing', 'insured_for', 'insuredFor', 'onLoan', 'caption', 'density', ''],
      ...['insured_for__gte', 'name__nothing', 'insured_for__nothing', '__eq', 'name__', 'Name'],
      ...['__proto__', 'constructor', 'alcove_code__title', 'insured_for__title', 'alcove.name'],
    ])
    .run(({ assert }, name) => {
      const parameters = read(`filter.${name}=7`)
      assert.deepEqual(parameters.filters[0].error, { reason: 'unknown' })
      assert.isNull(parameters.filters[0].column)
      assert.isEmpty(parameters.conditions)
      assert.isTrue(parameters.isUnread)
      assert.include(parameters.url, `filter.${encodeURIComponent(name)}=7`)
    })

  test("[L1] a value that is invalid for the column's type filters nothing: {$self}")
    .with([
      ...['visitors=many', 'visitors__in=1,,2', 'visitors__gte=93,828', 'on_loan=perhaps'],
      ...['found_on=yesterday', 'found_on__gte=today', 'found_on__between=last_8_days'],
      ...['mark=1', 'opens_at__gte=25:00', 'name=%00', 'name__in=%ed%a0%80%00', 'name__is=0'],
    ])
    .run(({ assert }, filter) => {
      const parameters = read(`filter.${filter}`)
      assert.equal(parameters.filters[0].error?.reason, 'value')
      assert.isEmpty(parameters.conditions)
    })

  test("[L1] an operator that is invalid for the column's type filters nothing", ({ assert }) => {
    assert.deepEqual(one('filter.details=1').error, {
      reason: 'operator',
      operators: ['is', 'is_not'],
    })
    assert.equal(one('filter.visitors__contains=1').error?.reason, 'operator')
  })

  test('[L1] filters are combined with AND, also those with the same name', ({ assert }) => {
    const parameters = read('filter.name__contains=a&filter.name__contains=b&filter.visitors=3')
    assert.lengthOf(parameters.conditions, 3)
    assert.isFalse(parameters.isUnread)
    assert.deepEqual(parameters.toRequest().conditions, [...parameters.conditions])
  })

  test('[L1, G3] a filter with an empty value is ignored, and with 51 filters or 11 groups none applies', ({
    assert,
  }) => {
    assert.isEmpty(read('filter.name=&filter.nothing=&filter.any.1=&filter.any.1.name=').filters)
    assert.lengthOf(read('filter.name=a&'.repeat(50)).conditions, 50)
    const groups = Array.from({ length: 11 }, (_, index) => `filter.any.${index}.name=a`)
    assert.lengthOf(read(groups.slice(1).join('&')).conditions, 10)
    for (const query of ['filter.name=a&'.repeat(51), groups.join('&')]) {
      const { filters, conditions, isUnread } = read(query)
      assert.isEmpty(conditions)
      assert.isTrue(isUnread)
      assert.isTrue(filters.every(({ error }) => error?.reason === 'number'))
    }
  })

  test('[G3] groups and negations are preserved in the URL, and removed as a whole', ({
    assert,
  }) => {
    const query =
      'filter.any.3.name=a&filter.any.3.not.visitors__gte=7&filter.not.on_loan=true&filter.any.3.name=b'
    const parameters = read(query)
    assert.equal(parameters.query, query)
    const [either, negated] = parameters.conditions
    assert.lengthOf((either as any).conditions, 3)
    assert.deepInclude(negated, { type: 'not', column: parameters.filters[2].column })
    const ofGroup = parameters.filters.filter(({ group: number }) => number === 3)
    assert.equal(parameters.without(ofGroup).query, 'filter.not.on_loan=true')
    const { column } = parameters.filters[0]
    assert.deepEqual(parameters.withoutColumn(column!).query, query)
    assert.equal(one('filter.any.3.nothing=1').error?.reason, 'unknown')
    assert.equal(one('filter.any.x.name=1').error?.reason, 'unknown')
  })

  test('[G3] filters by relative days and by titles can be negated and be alternatives', ({
    assert,
  }) => {
    const { conditions, isUnread } = read(
      'filter.any.1.not.found_on__between=today&filter.any.1.shown_at__between=today'
    )
    assert.isFalse(isUnread)
    const [not, days] = (conditions[0] as any).conditions
    assert.equal(not.condition.type, 'between')
    assert.equal(days.type, 'and')
  })

  test('[L1] filters by relative days are preserved in the URL, and include the end of the day', ({
    assert,
  }) => {
    const parameters = read('filter.found_on__between=today&filter.shown_at__between=this_month')
    const [day, moment] = parameters.conditions
    const today = new Date().toISOString().slice(0, 10)
    assert.deepInclude(day, { type: 'between', from: today, to: today })
    assert.equal(moment.type, 'and')
    assert.deepInclude((moment as any).conditions[0], {
      operator: 'gte',
      value: `${today.slice(0, 8)}01 00:00:00`,
    })
    assert.deepInclude((moment as any).conditions[1], { operator: 'lt' })
    assert.include(parameters.url, 'filter.found_on__between=today')
  })

  test('[L1] the URL of a list contains its filters, search and order, and is parsed to the same parameters', ({
    assert,
  }) => {
    const query =
      'filter.name=a%26b+%22&filter.nothing=1&q=x&deleted=only&sort_by=name%2Cprice&sort_order=asc%2Cdesc&rows-per-page-select=20'
    const parameters = read(`${query}&page=3`, utensil)
    assert.equal(parameters.query, query)
    assert.equal(parameters.url, `/admin/Utensil/?${query}&page=3`)
    assert.equal(read(parameters.query, utensil).query, query)
    assert.deepEqual(parameters.arrangement, [
      ['filter.name', 'a&b "'],
      ['filter.nothing', '1'],
      ['deleted', 'only'],
      ['sort_by', 'name,price'],
      ['sort_order', 'asc,desc'],
      ['rows-per-page-select', '20'],
    ])
    for (const other of [
      parameters.with({ page: 1, rows: 50 }),
      parameters.with({ deleted: 'exclude' }),
      parameters.with({ sorting: [] }),
    ]) {
      assert.include(other.url, 'filter.name=a%26b+%22&filter.nothing=1&q=x')
    }
  })

  test('[L1] URLs can omit one filter, those of a column, or all', ({ assert }) => {
    const parameters = read('filter.name=a&filter.visitors__gte=1&filter.visitors__lt=9&q=x&page=3')
    const [name, visitors] = parameters.filters
    assert.equal(
      parameters.without(name).url,
      '/admin/Artefact/?filter.visitors__gte=1&filter.visitors__lt=9&q=x'
    )
    assert.equal(
      parameters.withoutColumn(visitors.column!).url,
      '/admin/Artefact/?filter.name=a&q=x'
    )
    assert.lengthOf(parameters.withoutColumn(visitors.column!).toRequest().conditions, 2)
    assert.equal(parameters.unfiltered.url, '/admin/Artefact/')
  })

  test('[L4] the parameter q searches all columns, and the search form sets it if all columns are selected', ({
    assert,
  }) => {
    assert.equal(read('q=+a++b+').q, 'a++b'.replaceAll('+', ' '))
    const form = read('q=old&column-to-search=*&search-input=new')
    assert.deepEqual([form.q, form.search, form.column], ['new', '', null])
    assert.equal(form.url, '/admin/Artefact/?q=new')
    const both = read('q=a&column-to-search=name&search-input=b')
    assert.lengthOf(both.conditions, 2)
    assert.deepInclude(both.arrangement, ['q', 'a'])
    assert.equal(ListParameters.read(artefact, 'column-to-search=*&search=b', 'search').q, 'b')
  })

  test("[L4] a text that can't be searched for filters nothing", ({ assert }) => {
    const words = (count: number) => Array.from({ length: count }, (_, index) => `w${index}`)
    for (const text of [words(11).join('+'), 'x'.repeat(201), '%00', '%ed%a0%80%00']) {
      const parameters = read(`q=${text}`)
      assert.isTrue(parameters.isUnsearchable, text)
      assert.isTrue(parameters.isUnread)
      assert.isEmpty(parameters.conditions)
    }
    assert.lengthOf(read(`q=${words(10).join('+')}`).conditions, 10)
    assert.lengthOf(read(`q=${'a+'.repeat(50)}b`).conditions, 2)
  })

  test('[L7] a list can be sorted by several columns, each with its direction', ({ assert }) => {
    const order = (query: string) =>
      read(query).sorting.map(({ column, direction }) => `${column.apiName} ${direction}`)
    assert.deepEqual(order('sort_by=name,visitors&sort_order=desc,asc'), [
      'name desc',
      'visitors asc',
    ])
    assert.deepEqual(order('sort_by=name,visitors&sort_order=desc'), ['name desc', 'visitors asc'])
    assert.deepEqual(
      order('sort_by=name,insured_for,nothing,visitors&sort_order=asc,asc,asc,desc'),
      ['name asc', 'visitors desc']
    )
    assert.deepEqual(order('sort_by=name,name&sort_order=asc,desc'), ['name asc'])
    assert.deepEqual(order('sort_by=,,&sort_order=,'), [])
    assert.equal(read('sort_by=name,visitors&sort_order=desc,asc').sort!.column.apiName, 'name')
  })
})

const DAY = 24 * 60 * 60 * 1000

test.group('Relative days in filters', () => {
  /* A Wednesday. */
  const now = new Date('2024-03-13T23:30:00Z')

  test('[L1] the filter value {word} means the days from {from} to {to}')
    .with([
      { word: 'today', from: '2024-03-13', to: '2024-03-13' },
      { word: 'yesterday', from: '2024-03-12', to: '2024-03-12' },
      { word: 'last_7_days', from: '2024-03-07', to: '2024-03-13' },
      { word: 'last_30_days', from: '2024-02-13', to: '2024-03-13' },
      { word: 'this_week', from: '2024-03-11', to: '2024-03-17' },
      { word: 'this_month', from: '2024-03-01', to: '2024-03-31' },
      { word: 'last_month', from: '2024-02-01', to: '2024-02-29' },
      { word: 'this_year', from: '2024-01-01', to: '2024-12-31' },
      { word: 'last_year', from: '2023-01-01', to: '2023-12-31' },
    ])
    .run(({ assert }, { word, from, to }) => {
      const days = daysOf(word, now)!
      assert.deepEqual([days.from, days.to], [from, to])
      assert.equal(days.begin, `${from} 00:00:00`)
    })

  test('[L1] relative days begin and end in the given time zone', ({ assert }) => {
    const berlin = daysOf('today', now, 'Europe/Berlin')!
    assert.deepEqual(berlin, {
      from: '2024-03-14',
      to: '2024-03-14',
      begin: '2024-03-13 23:00:00',
      end: '2024-03-14 23:00:00',
    })
    /* The day on which clocks change has 23 hours. */
    const short = daysOf('today', new Date('2024-03-31T12:00:00Z'), 'Europe/Berlin')!
    assert.deepEqual([short.begin, short.end], ['2024-03-30 23:00:00', '2024-03-31 22:00:00'])
  })

  test('[L1] words other than the known ones are not accepted as relative days')
    .with(['', 'Today', 'tomorrow', 'last_8_days', '__proto__', 'constructor', 'today '])
    .run(({ assert }, word) => {
      assert.isNull(daysOf(word, now))
    })

  test('[L1] every period begins before it ends, and periods of the last days include today', ({
    assert,
  }) => {
    const moment = fc.date({
      min: new Date('1990-01-01'),
      max: new Date('2090-01-01'),
      noInvalidDate: true,
    })
    fc.assert(
      fc.property(moment, fc.constantFrom(...PERIOD_NAMES), (at, word) => {
        const { from, to, begin, end } = daysOf(word, at)!
        const [start, stop] = [begin, end].map((text) => Date.parse(`${text.replace(' ', 'T')}Z`))
        const today = at.toISOString().slice(0, 10)
        assert.isTrue(from <= to && start < stop)
        assert.equal(Date.parse(to) + DAY, stop)
        const isPast = ['yesterday', 'last_month', 'last_year'].includes(word)
        assert.equal(from <= today && today <= to, !isPast)
        if (word === 'this_week') assert.equal(new Date(from).getUTCDay(), 1)
        if (word === 'last_7_days') assert.equal(stop - start, 7 * DAY)
      })
    )
  })
})
