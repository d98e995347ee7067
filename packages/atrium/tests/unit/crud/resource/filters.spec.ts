import { test } from '@japa/runner'
import { EndpointCreator, FilterConfig, ValueError } from '#crud'
import { Filters } from '#crud/resource/filters'
import { Resource } from '#crud/resource/resource'
import { Sample } from '#tests/fixtures/samples'
import { GenerousFilterConfig, Specimen, SPECIMEN_OPERATORS } from '#tests/fixtures/lists'

const ALL_OPERATORS = SPECIMEN_OPERATORS.label

/** A loaded resource with these filters. */
async function load(filterConfig: any, model: any = Specimen): Promise<Resource> {
  const resource = new Resource({ model, filterConfig })
  await resource.load()
  return resource
}

const errorOf = async (work: () => unknown): Promise<Error> => {
  try {
    await work()
  } catch (error) {
    return error as Error
  }
  throw new Error('Nothing was thrown')
}

test.group('Filters', () => {
  test('[S11] a plain map and a FilterConfig are equivalent', async ({ assert }) => {
    const map = { label: null, amount__gte: 5 }
    const [one, other] = await Promise.all([load(map), load(new FilterConfig(map))])
    const shape = (resource: Resource) =>
      resource.filters.all.map(({ name, operator, column, fallback }) => {
        return [name, operator, column.apiName, fallback && (fallback as any).value]
      })
    assert.deepEqual(shape(one), shape(other))
    assert.deepEqual(shape(one), [
      ['label', 'eq', 'label', undefined],
      ['amount__gte', 'gte', 'amount', 5],
    ])
  })

  test('[S11] a filter on an unknown or hidden column is a ValueError: {$self}')
    .with(['nothing', 'nothing__gte', 'longText', 'secret', 'secret__is', 'constructor', 'Name'])
    .run(async ({ assert }, name) => {
      const config = Object.fromEntries([[name, null]])
      for (const filterConfig of [config, new FilterConfig(config)]) {
        const error = await errorOf(() => new EndpointCreator({ model: Sample, filterConfig }))
        assert.instanceOf(error, ValueError)
        assert.include(error.message, `Invalid filter column '${name.split('__')[0]}'`)
        assert.match(error.message, /not found in the model Sample/)
        assert.include(error.message, 'long_text')
      }
    })

  test('[S12] the error of an invalid default names the model too', async ({ assert }) => {
    const error = await errorOf(
      () => new EndpointCreator({ model: Sample, filterConfig: { name: [] as any } })
    )
    assert.instanceOf(error, ValueError)
    assert.match(error.message, /^Sample: .*'name'/)
  })

  test('[A18] the error of an invalid operator names the model too', async ({ assert }) => {
    const error = await errorOf(
      () => new EndpointCreator({ model: Sample, filterConfig: { name__near: null } })
    )
    assert.instanceOf(error, ValueError)
    assert.match(error.message, /^Sample: .*'near'/)
  })

  test('[A17] a reserved name in a plain map is a ValueError', async ({ assert }) => {
    const error = await errorOf(
      () => new EndpointCreator({ model: Sample, filterConfig: { page: null } })
    )
    assert.instanceOf(error, ValueError)
    assert.match(error.message, /^Sample: .*'page'/)
  })

  test('[A18] only the operators of its type can be used with the column {$self}')
    .with(Object.keys(SPECIMEN_OPERATORS))
    .run(async ({ assert }, column) => {
      for (const operator of ALL_OPERATORS) {
        const filterConfig = { [`${column}__${operator}`]: null }
        if (SPECIMEN_OPERATORS[column].includes(operator)) {
          await assert.doesNotReject(() => load(filterConfig))
        } else {
          const error = await errorOf(() => load(filterConfig))
          assert.instanceOf(error, ValueError)
          assert.include(error.message, `'${column}__${operator}'`)
        }
      }
    })

  test('[A17] the value null means that a filter has no default', async ({ assert }) => {
    const { filters } = await load({ label: '', label__contains: null, fresh: false, amount: 0 })
    const fallback = (name: string) => filters.get(name)!.fallback as any
    assert.equal(fallback('label').value, '')
    assert.isUndefined(fallback('label__contains'))
    assert.isFalse(fallback('fresh').value)
    assert.equal(fallback('amount').value, 0)
  })

  test('[A17] a default is converted to the type of its column and operator', async ({
    assert,
  }) => {
    const { filters } = await load({
      amount__in: '1,2',
      moment__gte: '2024-01-01',
      fresh__is: 'null',
      label__or: 'eq:a,eq:b',
      weight__lt: 0.5,
    })
    const fallback = (name: string) => filters.get(name)!.fallback as any
    assert.deepEqual(fallback('amount__in').values, [1, 2])
    assert.equal(fallback('moment__gte').value, '2024-01-01 00:00:00')
    assert.equal(fallback('fresh__is').type, 'null')
    assert.lengthOf(fallback('label__or').conditions, 2)
    assert.equal(fallback('weight__lt').value, 0.5)
  })

  test('[S12] a default that a subclass of FilterConfig allows is used', async ({ assert }) => {
    const config = new GenerousFilterConfig({ label__in: ['a,b', 'c\\'] as any })
    const { filters } = await load(config)
    assert.deepEqual((filters.get('label__in')!.fallback as any).values, ['a,b', 'c\\'])
  })

  test('[A16] a default of the wrong type is a ValueError: {$self}')
    .with([
      { amount: 'many' },
      { amount: 1.5 },
      { amount: true },
      { fresh: 'maybe' },
      { day: '2024-02-30' },
      { moment: 'now' },
      { mark: 'x' },
      { amount__between: 5 },
      { amount__is: 5 },
      { label__or: 'a' },
    ] as any[])
    .run(async ({ assert }, filterConfig) => {
      const error = await errorOf(() => load(filterConfig))
      assert.instanceOf(error, ValueError)
      const [name] = Object.keys(filterConfig)
      assert.match(error.message, new RegExp(`^Specimen: .*'${name}'`))
    })

  test('[S11] a model has no filters by default', ({ assert }) => {
    const { columns, operators } = new Resource({ model: Specimen })
    const filters = new Filters(undefined, columns, 'Specimen', operators)
    assert.deepEqual(filters.all, [])
    assert.isUndefined(filters.get('label'))
    assert.isUndefined(filters.get('constructor'))
  })
})
