import { test } from '@japa/runner'
import { DateTime } from 'luxon'
import { resources, ValueError } from '#crud'
import { defineConfig } from '#crud/define_config'
import { parseItemRequest } from '#crud/request/item_request'
import { ListRequest, type ListQuery } from '#crud/request/list_request'
import { QueryString, checkWriteQuery } from '#crud/request/query_string'

const config = defineConfig()
const strict = defineConfig({ strictQuery: true })

function at(path: string) {
  return resources.endpoints().find((one) => one.path === `/api/${path}`)!.resource
}

function parse(path: string, text: string, settings = config) {
  return ListRequest.parse(at(path), new QueryString(text), settings)
}

function fromCode(query: ListQuery): any {
  return ListRequest.fromCode(at('specimens'), query, config.pagination)
}

function problemOf(work: () => unknown): { status: number; message: string; errors: any[] } {
  try {
    work()
  } catch (error) {
    return error as any
  }
  throw new Error('Nothing was thrown')
}

/** Conditions in short: `[column, operator or type, value]`. */
function conditionsOf({ conditions }: any) {
  return conditions.map((one: any) => [
    one.column.apiName,
    one.operator ?? one.type,
    one.value ?? one.values,
  ])
}

const DEFAULTS = [
  ['status', 'eq', 'open'],
  ['weight', 'gte', 2],
  ['fragile', 'eq', false],
]

test.group('List request from a query string', () => {
  test('[A17] the default of a filter applies if its parameter is absent', ({ assert }) => {
    assert.deepEqual(conditionsOf(parse('parcels', '')), DEFAULTS)
    assert.deepEqual(conditionsOf(parse('parcels', 'weight__gte=7&fragile=true')), [
      ['status', 'eq', 'open'],
      ['weight', 'gte', 7],
      ['fragile', 'eq', true],
    ])
  })

  test('[A17] an empty parameter disables its filter and the default of that filter', ({
    assert,
  }) => {
    assert.deepEqual(conditionsOf(parse('parcels', 'status=&weight__gte&title=')), [
      ['fragile', 'eq', false],
    ])
  })

  test('[A16] only declared filters apply', ({ assert }) => {
    const text = 'id=1&title__like=a&STATUS=x&weight=5&__proto__=1&constructor=2&deleted_at=x'
    assert.deepEqual(conditionsOf(parse('parcels', text)), DEFAULTS)
  })

  test("[A16] the error about a filter value contains the filter's name", ({ assert }) => {
    for (const text of ['weight__gte=heavy', 'weight__gte=1&weight__gte=2', 'weight__gte[]=1']) {
      const { status, errors } = problemOf(() => parse('parcels', text))
      assert.equal(status, 422)
      assert.equal(errors[0].field, 'weight__gte')
    }
  })

  test('[A22] deleted is parsed only if deleted items are shown', ({ assert }) => {
    const deleted = (path: string, text: string) =>
      parseItemRequest(at(path), new QueryString(text), config).deleted
    assert.equal(deleted('letters', ''), 'exclude')
    assert.equal(deleted('letters', 'deleted='), 'exclude')
    assert.equal(deleted('letters', 'deleted=exclude'), 'exclude')
    assert.equal(deleted('letters', 'deleted=include'), 'include')
    assert.equal(deleted('letters', 'deleted=only'), 'only')
    for (const text of ['deleted=only', 'deleted=nonsense', 'deleted=only&deleted=only']) {
      assert.equal(deleted('memos', text), 'exclude')
      assert.equal(deleted('specimens', text), 'exclude')
    }
  })

  test('[A22] the query {$self} is refused')
    .with(['deleted=true', 'deleted=ONLY', 'deleted=constructor', 'deleted=only&deleted=only'])
    .run(({ assert }, text) => {
      const { status, errors } = problemOf(() => parse('letters', text))
      assert.equal(status, 422)
      assert.equal(errors[0].field, 'deleted')
    })

  test('[A19] strictQuery refuses unknown parameters, and suggests the most similar name', ({
    assert,
  }) => {
    const nearest = (path: string, text: string) => {
      const { status, message, errors } = problemOf(() => parse(path, text, strict))
      assert.equal(status, 422)
      assert.lengthOf(errors, 1)
      return [errors[0].field, /did you mean "(.*)"\?/.exec(message)?.[1]]
    }
    assert.deepEqual(nearest('parcels', 'weight__gt=1'), ['weight__gt', 'weight__gte'])
    assert.deepEqual(nearest('parcels', 'page=1&itemsperpage=5'), ['itemsperpage', 'itemsPerPage'])
    assert.deepEqual(nearest('letters', 'sorted=title'), ['sorted', 'sort'])
    assert.deepEqual(nearest('letters', 'delete=only'), ['delete', 'deleted'])
    assert.deepEqual(nearest('memos', 'Limit[a]=5'), ['Limit', 'limit'])
  })

  test('[A19] deleted is unknown if deleted items are not shown', ({ assert }) => {
    assert.equal(problemOf(() => parse('memos', 'deleted=only', strict)).status, 422)
    assert.doesNotThrow(() => parse('letters', 'deleted=only', strict))
  })

  test('[A19] strictQuery accepts all known parameters', ({ assert }) => {
    const text = 'page=1&itemsPerPage=5&title=a&status=&sort=b&deleted=c'
    assert.doesNotThrow(() => parse('parcels', text, strict))
    assert.doesNotThrow(() => parse('letters', 'offset=1&limit=5&sort=-title', strict))
  })

  test('[A19] reading an item accepts no parameter except deleted, writing accepts none', ({
    assert,
  }) => {
    const item = (path: string, text: string, settings = strict) =>
      parseItemRequest(at(path), new QueryString(text), settings)
    const write = (text: string, settings = strict) =>
      checkWriteQuery(new QueryString(text), settings)
    assert.doesNotThrow(() => item('letters', 'deleted=only'))
    assert.equal(problemOf(() => item('letters', 'page=1')).status, 422)
    assert.equal(problemOf(() => item('memos', 'deleted=only')).status, 422)
    assert.doesNotThrow(() => item('memos', 'deleted=only&x=1', config))
    assert.doesNotThrow(() => write(''))
    assert.equal(problemOf(() => write('deleted=only')).status, 422)
    assert.doesNotThrow(() => write('x=1', config))
  })
})

test.group('List request of application code', () => {
  test('[P8] filters of application code can name any column, declared or not', ({ assert }) => {
    const request = fromCode({ filters: { label__contains: 'a,b', amount: 5, fresh: true } })
    assert.deepEqual(conditionsOf(request), [
      ['label', 'match', undefined],
      ['amount', 'eq', 5],
      ['fresh', 'eq', true],
    ])
  })

  test('[P8] filter values have their JavaScript types', ({ assert }) => {
    const moment = DateTime.fromISO('2024-02-29T12:00:00', { zone: 'utc' })
    const request = fromCode({
      filters: {
        moment__gte: moment,
        moment__lte: moment.toJSDate(),
        day: moment,
        amount: 9007199254740993n,
        moment__in: [moment, '2024-01-01'],
      },
    })
    assert.deepEqual(conditionsOf(request), [
      ['moment', 'gte', '2024-02-29 12:00:00'],
      ['moment', 'lte', '2024-02-29 12:00:00'],
      ['day', 'eq', '2024-02-29'],
      ['amount', 'eq', '9007199254740993'],
      ['moment', 'list', ['2024-02-29 12:00:00', '2024-01-01 00:00:00']],
    ])
  })

  test('[P8] a filter with several values is an array, whatever characters the values contain', ({
    assert,
  }) => {
    const values = ['a\\', 'b,c', '\\,', '']
    assert.deepEqual(conditionsOf(fromCode({ filters: { label__in: values } })), [
      ['label', 'list', values],
    ])
    assert.deepEqual(conditionsOf(fromCode({ filters: { amount__in: [] } })), [
      ['amount', 'list', []],
    ])
  })

  test('[P8] a filter with the value null finds null', ({ assert }) => {
    const request = fromCode({ filters: { label: null, amount__ne: null } })
    assert.deepEqual(
      request.conditions.map(({ type, negate }: any) => [type, negate]),
      [
        ['null', false],
        ['null', true],
      ]
    )
  })

  test('[P8, A18.4] an invalid filter is a ValueError')
    .with([
      { nothing: 1 },
      { label__near: 1 },
      { amount: 'many' },
      { label: undefined },
      { label__in: ['a', undefined] },
      { amount__in: [1, null] },
      { amount__gt: null },
      { 'not.amount__lte': null },
      { label__contains: null },
      { label__in: null },
      { label: ['a', 'b'] },
    ] as any[])
    .run(({ assert }, filters) => {
      assert.throws(() => fromCode({ filters }), ValueError as any)
    })

  test('[A10, A11] application code gets the same default pages and offsets as a query string', ({
    assert,
  }) => {
    assert.deepEqual(fromCode({}).paging, { shape: 'offset', offset: 0, limit: 100 })
    assert.include(fromCode({ page: 3 }).paging, { shape: 'page', offset: 20, limit: 10 })
    assert.include(fromCode({ itemsPerPage: 4 }).paging, { page: 1, limit: 4 })
    assert.include(fromCode({ limit: 5 }).paging, { offset: 0, limit: 5 })
  })

  test('[A15, A22] in application code, sort and deleted have the same meaning as in a query string', ({
    assert,
  }) => {
    const request = fromCode({ sort: '-label,id', deleted: 'only' })
    assert.deepEqual(
      request.sorts.map(({ column, direction }: any) => [column.apiName, direction]),
      [
        ['label', 'desc'],
        ['id', 'asc'],
      ]
    )
    assert.equal(request.deleted, 'only')
    assert.equal(fromCode({}).deleted, 'exclude')
    assert.equal(problemOf(() => fromCode({ sort: 'nothing' })).status, 422)
  })
})
