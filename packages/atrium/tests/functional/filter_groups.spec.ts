import app from '@adonisjs/core/services/app'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import fc from 'fast-check'
import { LucidCrud } from '#crud'
import { ListParameters } from '#admin/list/list_parameters'
import { ModelView } from '#admin/views/model_view'
import { Specimen, SPECIMEN_OPERATORS } from '#tests/fixtures/lists'
import { adminSite } from '#tests/helpers/admin'
import { get } from '#tests/helpers/http'
import { passesAll, toPlacedParameter, toQuery, type Placed } from '#tests/helpers/memory_list'
import { runs } from '#tests/helpers/random_runs'
import { placedRules, ruleOf, specimen } from '#tests/helpers/specimen_rules'

type Row = Record<string, any>

const PATH = '/api/specimens'

async function clear() {
  await db.from('specimens').delete()
}

async function store(rows: Row[]) {
  await clear()
  await db.table('specimens').multiInsert(rows)
}

/** Labels of the specimens that a query finds. */
async function labels(query: string): Promise<string[]> {
  const { status, text, body } = await get(`${PATH}?${query}`)
  if (status !== 200) throw new Error(text)
  if (body.total_count !== body.data.length) throw new Error('The count is another one')
  return body.data.map((row: Row) => row.label)
}

const code = (filters: Record<string, unknown>) =>
  new LucidCrud(Specimen)
    .getMulti({ filters })
    .then(({ data }) => data.map((row: Row) => row.label))

test.group('Filter groups | names and values', (group) => {
  group.tap((one) => one.tags(['@dialect']))
  group.setup(async () => {
    await store([
      { label: 'a', amount: 1, fresh: true },
      { label: 'b', amount: 2, fresh: false },
      { label: 'c', amount: 3, fresh: null },
      { label: 'd', amount: null, fresh: true },
    ])
    return clear
  })

  test('[G3] conditions with the same group number are alternatives, and all groups must match', async ({
    assert,
  }) => {
    assert.deepEqual(await labels('any.1.label__eq=a&any.1.amount__gte=3'), ['a', 'c'])
    assert.deepEqual(
      await labels('any.1.label__eq=a&any.1.amount__gte=2&any.2.fresh__is=true&any.2.amount__eq=3'),
      ['a', 'c']
    )
    assert.deepEqual(await labels('any.1.label__eq=a&any.1.amount__gte=2&fresh__eq=false'), ['b'])
    assert.deepEqual(await labels('any.9.label__eq=b'), ['b'])
  })

  test('[G3, A16] the same name twice in a group means two alternatives', async ({ assert }) => {
    assert.deepEqual(await labels('any.1.label__eq=a&any.1.label__eq=c'), ['a', 'c'])
    const { status, body } = await get(`${PATH}?label__eq=a&label__eq=c`)
    assert.equal(status, 422)
    assert.equal(body.errors[0].field, 'label__eq')
    const twice = await get(`${PATH}?not.label__eq=a&not.label__eq=c`)
    assert.equal(twice.status, 422)
  })

  test('[G3] the prefix not. negates a condition, and a row with null matches neither', async ({
    assert,
  }) => {
    assert.deepEqual(await labels('not.amount__gte=2'), ['a'])
    assert.deepEqual(await labels('amount__gte=2'), ['b', 'c'])
    assert.deepEqual(await labels('not.amount__in=1,2'), ['c'])
    assert.deepEqual(await labels('not.amount__ne=2'), ['b'])
    assert.deepEqual(await labels('not.amount__between=2,3&not.label__eq=b'), ['a'])
    assert.deepEqual(await labels('not.amount__or=eq:1,gte:3'), ['b'])
    assert.deepEqual(await labels('any.1.not.amount__gte=2&any.1.label__eq=d'), ['a', 'd'])
    assert.deepEqual(await labels('amount__gte=1&not.amount__gte=3'), ['a', 'b'])
  })

  test('[G3] with is and is_not, a row with null matches either the condition or its negation', async ({
    assert,
  }) => {
    assert.deepEqual(await labels('not.amount__is=null'), ['a', 'b', 'c'])
    assert.deepEqual(await labels('not.amount__is_not=null'), ['d'])
    assert.deepEqual(await labels('not.fresh__is=true'), ['b', 'c'])
    assert.deepEqual(await labels('not.fresh__is_not=true'), ['a', 'd'])
    assert.deepEqual(await labels('not.extra__is=null'), [])
  })

  test('[G3, A17] an alternative with an empty value is left out of its group', async ({
    assert,
  }) => {
    assert.deepEqual(await labels('any.1.label__eq=a&any.1.amount__eq='), ['a'])
    assert.lengthOf(await labels('any.1.amount__eq=&not.label__eq='), 4)
  })

  test('[G3] application code can use the same filter names', async ({ assert }) => {
    assert.deepEqual(await code({ 'any.1.label': 'a', 'any.1.amount__gte': 3 }), ['a', 'c'])
    assert.deepEqual(await code({ 'not.amount__gte': 2 }), ['a'])
    assert.deepEqual(await code({ 'any.1.not.amount__in': [1, 2], 'any.1.label': 'b' }), ['b', 'c'])
    assert.deepEqual(await code({ 'not.amount': null, 'fresh': true }), ['a'])
    assert.deepEqual(await code({ 'any.1.amount': null, 'any.1.not.fresh__is_not': null }), [
      'c',
      'd',
    ])
    await assert.rejects(() => code({ 'any.1.nothing': 1 }), /'nothing': not found/)
    await assert.rejects(() => code({ 'not.amount': 'many' }), /'amount' must be/)
  })

  test('[G3, Q4] a cursor continues a list with the same groups, and is refused with other groups', async ({
    assert,
  }) => {
    const query = 'any.1.label__eq=a&any.1.not.amount__eq=1&sort=-label&limit=1'
    const first = await get(`${PATH}?${query}&cursor=`)
    const next = `cursor=${encodeURIComponent(first.body.next_cursor)}`
    const second = await get(`${PATH}?${query}&${next}`)
    assert.deepEqual(
      [first, second].map(({ body }) => body.data[0].label),
      ['c', 'b']
    )
    const other = await get(`${PATH}?${query.replace('.not.', '.')}&${next}`)
    assert.equal(other.status, 422)
  })
})

test.group('Filter groups | limits and unknown names', () => {
  const statusOf = async (query: string) => {
    const { status } = await get(`${PATH}?${query}`)
    return status
  }

  test('[G3] more than 10 groups or 50 conditions are 422', async ({ assert }) => {
    const groups = (count: number) =>
      Array.from({ length: count }, (_, index) => `any.${index}.label__eq=a`).join('&')
    const conditions = (count: number) => 'any.1.label__eq=a&'.repeat(count)
    assert.equal(await statusOf(groups(10)), 200)
    assert.equal(await statusOf(`${groups(10)}&any.10.label__eq=`), 200)
    assert.equal(await statusOf(conditions(50)), 200)
    for (const query of [groups(11), conditions(51), `label__eq=b&${conditions(50)}`]) {
      const { status, body } = await get(`${PATH}?${query}`)
      assert.equal(status, 422)
      assert.include(body.detail, 'at most 50 conditions in at most 10 groups')
    }
  })

  test(
    '[G3] a name in a group that filterConfig does not declare is a 422, even without a value: {$self}'
  )
    .with(['any.1.label', 'any.1.secret', 'any.1.not.label', 'any.1.', 'any.1.not.not.label__eq'])
    .run(async ({ assert }, name) => {
      for (const text of ['a', '']) {
        const { status, body } = await get(`${PATH}?${name}=${text}`)
        assert.equal(status, 422)
        assert.equal(body.errors[0].field, name)
      }
    })

  test('[G3, A16] unknown names that only resemble groups are ignored: {$self}')
    .with(['not.label', 'not.secret', 'any.label__eq', 'any.x.label__eq', 'any.1', 'not.'])
    .run(async ({ assert }, name) => {
      assert.equal(await statusOf(`${name}=a`), 200)
    })

  test('[G3, A16] an invalid value in a group, and a name with brackets, are a 422 that names the parameter', async ({
    assert,
  }) => {
    for (const name of ['any.1.amount__gte', 'not.amount__gte', 'any.2.not.amount__in']) {
      for (const query of [`${name}=many`, `${name}[]=1`]) {
        const { status, body } = await get(`${PATH}?${query}`)
        assert.equal(status, 422)
        assert.equal(body.errors[0].field, name)
      }
    }
  })

  test('[G3, A19] strictQuery accepts groups of declared filters, and suggests their names', async ({
    assert,
  }) => {
    app.config.set('crud.strictQuery', true)
    try {
      assert.equal(await statusOf('any.1.label__eq=a&any.1.not.label__eq=b&not.label__eq=c'), 200)
      for (const [name, nearest] of [
        ['not.amount__betwen', 'not.amount__between'],
        ['any.3.not.amount__betwen', 'any.3.not.amount__between'],
      ]) {
        const { status, body } = await get(`${PATH}?${name}=1`)
        assert.equal(status, 422)
        assert.include(body.detail, `"${nearest}"`)
      }
    } finally {
      app.config.set('crud.strictQuery', false)
    }
  })

  test('[G3, Q1] the API schema describes the prefixes of filters', async ({ assert }) => {
    const { body } = await get('/api/openapi.json')
    const { description } = body.paths[PATH].get
    assert.include(description, '`any.1.price__gte=10&any.1.not.name=a`')
  })
})

test.group('Filter groups | compared with an in-memory implementation', (group) => {
  group.tap((one) => one.tags(['@dialect']))
  let rows: Row[] = []
  let view: ModelView

  group.setup(async () => {
    await store(fc.sample(specimen, 150))
    const { body } = await get(`${PATH}?limit=1000`)
    rows = body.data
    const { models } = await adminSite()
    view = new ModelView({
      model: Specimen,
      databaseConfig: models.get('Artefact')!.databaseConfig,
    })
    await view.resource.load()
    return clear
  })

  const found = async (rules: Placed[]): Promise<number[]> => {
    const { status, text, body } = await get(
      `${PATH}?limit=1000&${toQuery(rules.map(toPlacedParameter))}`
    )
    if (status !== 200) throw new Error(text)
    if (body.total_count !== body.data.length) throw new Error('The count is another one')
    return body.data.map(({ id }: Row) => id)
  }

  test('[G3] random groups and negations match the same records as in memory', async ({
    assert,
  }) => {
    const places = (one: Placed) => (one.group === null ? toPlacedParameter(one)[0] : one)
    await fc.assert(
      fc.asyncProperty(placedRules, async (rules) => {
        const wanted = rows.filter((row) => passesAll(row, rules)).map(({ id }) => id)
        const query = rules.map((one): [string, string] => {
          const [name, text] = toPlacedParameter(one)
          return [`filter.${name}`, text]
        })
        const parameters = ListParameters.read(view, toQuery(query))
        assert.isFalse(parameters.isUnread)
        const { data } = await view.crud.getMulti(parameters.with({ rows: 1000 }).toRequest(), {})
        assert.sameMembers(
          data.map(({ id }) => id),
          wanted
        )
        assert.deepEqual(ListParameters.read(view, parameters.query).query, parameters.query)
        /* Outside groups, the API takes a name once. */
        if (new Set(rules.map(places)).size < rules.length) return
        assert.deepEqual(await found(rules), wanted)
      }),
      { numRuns: runs(400) }
    )
  }).timeout(60_000)

  test(
    '[G3] each row matches exactly one of a condition, its negation and a test for null: {$self}'
  )
    .with(Object.keys(SPECIMEN_OPERATORS))
    .run(async ({ assert }, column) => {
      const ids = rows.map(({ id }) => id)
      const place = { group: null, isNegated: false }
      const isNull = { column, operator: 'is', operand: null }
      const nulls = await found([{ ...place, rule: isNull }])
      for (const operator of SPECIMEN_OPERATORS[column]) {
        const rules = ruleOf(column, [operator]).filter(
          /* An alternative with \`is\` matches nulls, too. */
          ({ operand }) => operator !== 'or' || !JSON.stringify(operand).includes('"is')
        )
        await fc.assert(
          fc.asyncProperty(rules, async (rule) => {
            const matching = await found([{ ...place, rule }])
            const others = await found([{ ...place, rule, isNegated: true }])
            const isTwoValued = operator === 'is' || operator === 'is_not'
            const parts = [...matching, ...others, ...(isTwoValued ? [] : nulls)]
            assert.deepEqual(
              parts.toSorted((one, other) => one - other),
              ids
            )
          }),
          { numRuns: runs(16) }
        )
      }
    })
    .timeout(60_000)
})
