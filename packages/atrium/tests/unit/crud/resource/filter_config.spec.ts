import { test } from '@japa/runner'
import { FilterConfig, ValueError } from '#crud'
import { parseFilterName } from '#base/columns/filter'
import { GenerousFilterConfig } from '#tests/fixtures/lists'

const OPERATORS =
  'eq ne gt gte lt lte is is_not like ilike not_like not_ilike startswith endswith contains in not_in between or'.split(
    ' '
  )

test.group('FilterConfig', () => {
  test('[S12] null, strings, numbers and booleans are valid default values', ({ assert }) => {
    const defaults = { a: null, b: '', c: 'x', d: 5, e: -1.5, f: true, g: false }
    assert.deepEqual(new FilterConfig(defaults).filters, defaults)
  })

  test('[S12] any other default value is a ValueError that names the filter')
    .with<Array<{ value: any; named: RegExp }>>([
      { value: undefined, named: /undefined/ },
      { value: ['a'], named: /array/ },
      { value: { a: 1 }, named: /object/ },
      { value: new Date(0), named: /object/ },
      { value: Symbol('a'), named: /symbol/ },
      { value: 5n, named: /bigint/ },
      { value: Number.NaN, named: /NaN/ },
      { value: Number.POSITIVE_INFINITY, named: /Infinity/ },
    ])
    .run(({ assert }, { value, named }) => {
      assert.throws(() => new FilterConfig({ good: null, price: value }), ValueError as any)
      assert.throws(() => new FilterConfig({ price: value }), /'price'/)
      assert.throws(() => new FilterConfig({ price: value }), named)
    })

  test('[S12] a subclass can allow other default values', ({ assert }) => {
    const list = ['a', 'b'] as any
    assert.deepEqual(new GenerousFilterConfig({ status__in: list }).filters.status__in, list)
    assert.throws(() => new GenerousFilterConfig({ status: 'a' }), 'status is too short')
    assert.throws(() => new GenerousFilterConfig({ status: {} as any }), ValueError as any)
  })

  test("[S11] a FilterConfig can't be changed, even through the map from which it was created", ({
    assert,
  }) => {
    const map: Record<string, any> = { name: null }
    const config = new FilterConfig(map)
    map.price = 5
    assert.deepEqual(config.filters, { name: null })
    assert.throws(() => Object.assign(config.filters, { price: 5 }), TypeError as any)
  })

  test('[A17] the filter name {$self} is refused')
    .with(['offset', 'limit', 'page', 'itemsPerPage'])
    .run(({ assert }, name) => {
      assert.throws(() => new FilterConfig({ [name]: null }), ValueError as any)
      assert.throws(() => new FilterConfig({ [name]: null }), new RegExp(name))
    })

  test('[A18] the error of an unknown operator suggests the filter of a column with that name', ({
    assert,
  }) => {
    assert.throws(() => new FilterConfig({ size__max: null }), /has the filter 'size__max__eq'/)
    assert.doesNotThrow(() => new FilterConfig({ size__max__eq: null }))
  })

  test('[A17] a filter can have the name of a built-in parameter', ({ assert }) => {
    assert.doesNotThrow(() => new FilterConfig({ sort: null, deleted: null, fields: null }))
  })

  test('[A18] {$self} is recognized as an operator')
    .with(OPERATORS)
    .run(({ assert }, operator) => {
      const name = `unit_price__${operator}`
      assert.deepEqual(parseFilterName(name), { name, column: 'unit_price', operator })
    })

  test('[A18] a filter name without an operator compares for equality', ({ assert }) => {
    assert.deepEqual(parseFilterName('unit_price'), {
      name: 'unit_price',
      column: 'unit_price',
      operator: 'eq',
    })
    assert.include(parseFilterName('a__b__gte'), { column: 'a__b', operator: 'gte' })
  })

  test('[A18] an unknown operator is a ValueError that lists the known ones')
    .with(['price__equals', 'price__GTE', 'price__', 'price__constructor', 'price__gte__x'])
    .run(({ assert }, name) => {
      assert.throws(() => new FilterConfig({ [name]: null }), ValueError as any)
      assert.throws(() => new FilterConfig({ [name]: null }), /startswith/)
      assert.throws(() => new FilterConfig({ [name]: null }), new RegExp(`'${name}'`))
    })
})
