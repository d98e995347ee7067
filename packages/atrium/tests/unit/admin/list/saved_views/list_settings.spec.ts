import { test } from '@japa/runner'
import fc from 'fast-check'
import { fieldsOutsideView, withView } from '#admin/list/saved_views/list_settings'

const merged = (base: string, given: string, search = 'search-input') =>
  withView(base, new URLSearchParams(given), search).toString()

test.group('Admin | list | saved views | combined query', () => {
  test('[L5] parameters of the URL override those of a saved view: {given}')
    .with([
      { given: 'view=3', is: 'filter.a=1&filter.b__gte=2&sort_by=x%2Cy&sort_order=desc%2Casc' },
      {
        given: 'view=3&filter.a=9',
        is: 'filter.b__gte=2&sort_by=x%2Cy&sort_order=desc%2Casc&filter.a=9',
      },
      {
        given: 'view=3&filter.b__gte=',
        is: 'filter.a=1&sort_by=x%2Cy&sort_order=desc%2Casc&filter.b__gte=',
      },
      { given: 'view=3&sort_by=z', is: 'filter.a=1&filter.b__gte=2&sort_by=z' },
      {
        given: 'view=3&filter.c=1&filter.c=2&page=4',
        is: 'filter.a=1&filter.b__gte=2&sort_by=x%2Cy&sort_order=desc%2Casc&filter.c=1&filter.c=2&page=4',
      },
    ])
    .run(({ assert }, { given, is }) => {
      const base = 'filter.a=1&filter.b__gte=2&sort_by=x,y&sort_order=desc,asc'
      assert.equal(merged(base, given), is)
    })

  test('[L5] a search in the URL replaces the search of a saved view, whichever parameter either of them uses', ({
    assert,
  }) => {
    const base = 'column-to-search=title&search-input=moon'
    assert.equal(merged(base, 'view=1', 'search'), 'column-to-search=title&search=moon')
    const own = 'column-to-search=name&search=sun'
    assert.equal(merged(base, `view=1&${own}`, 'search'), own)
  })

  test(
    '[G3, L5] a group in the URL applies in addition to those of a saved view, with a group number of its own: {given}'
  )
    .with([
      { given: 'filter.any.1.b=2', is: 'filter.any.1.a=1&filter.any.3.a=5&filter.any.2.b=2' },
      {
        given: 'filter.any.3.b=2&filter.any.1.c=3&filter.any.3.b=4',
        is: 'filter.any.1.a=1&filter.any.3.a=5&filter.any.2.b=2&filter.any.4.c=3&filter.any.2.b=4',
      },
      { given: 'filter.any.7.a=9', is: 'filter.any.1.a=1&filter.any.3.a=5&filter.any.7.a=9' },
      { given: 'filter.any.3=', is: 'filter.any.1.a=1' },
      {
        given: 'filter.any.1=&filter.any.1.not.b=2',
        is: 'filter.any.3.a=5&filter.any.1.not.b=2',
      },
      {
        given: 'filter.any.1.a=',
        is: 'filter.any.1.a=1&filter.any.3.a=5&filter.any.2.a=',
      },
    ])
    .run(({ assert }, { given, is }) => {
      assert.equal(merged('filter.any.1.a=1&filter.any.3.a=5', `view=1&${given}`), is)
    })

  test('[L5] the parameters of random views and URLs are combined without loss', ({ assert }) => {
    const names = fc.constantFrom(
      ...['filter.a', 'filter.b', 'q', 'columns', 'filter.not.a'],
      ...['filter.any.1.a', 'filter.any.1.b', 'filter.any.2.a', 'filter.any.3.not.a']
    )
    const field = fc.tuple(names, fc.constantFrom('1', '2', 'x&y=z'))
    const sorts = fc.constantFrom<Array<[string, string]>>(
      [],
      [
        ['sort_by', 'a'],
        ['sort_order', 'asc'],
      ],
      [
        ['sort_by', 'b,a'],
        ['sort_order', 'desc,asc'],
      ]
    )
    const fields = fc
      .tuple(fc.array(field, { maxLength: 5 }), sorts)
      .map(([some, sort]) => [...some, ...sort])
    /* An empty value is none, and so is None. */
    const meant = (all: Iterable<readonly [string, string]>) =>
      JSON.stringify(
        [
          ...Map.groupBy(
            [...all].filter(([, value]) => value !== '' && value !== 'None'),
            ([name]) => name
          ),
        ]
          .map(([name, some]) => [name, some.map(([, value]) => value)])
          .toSorted()
      )
    fc.assert(
      fc.property(fields, fields, (base, now) => {
        const beside = fieldsOutsideView(base, now)
        const given = new URLSearchParams([['view', '1'], ...beside] as Array<[string, string]>)
        const text = new URLSearchParams(base).toString()
        assert.equal(meant(withView(text, given, 'search-input')), meant(now))
      })
    )
    assert.deepEqual(fieldsOutsideView([['q', 'a']], [['q', 'a']]), [])
  })
})
