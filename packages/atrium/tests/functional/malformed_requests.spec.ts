import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import fc from 'fast-check'
import { EndpointCreator, resources, type CrudOptions, type Operation, type Resource } from '#crud'
import type { Column } from '#base/columns/column'
import type { ColumnKind } from '#base/columns/column_kind'
import { call } from '#tests/helpers/http'
import { someOf } from '#tests/helpers/random_runs'

/** Approximate number of requests in total. */
const RUNS = 1500

interface Request {
  method: string
  path: string
  body?: string | Uint8Array
  headers?: Record<string, string>
}

/** One kind of error at one endpoint. */
interface Case {
  name: string
  request: fc.Arbitrary<Request>
}

const METHODS: Record<Operation, string> = {
  create: 'POST',
  read: 'GET',
  read_multi: 'GET',
  update: 'PATCH',
  delete: 'DELETE',
  db_delete: 'DELETE',
}

const JSON_TYPE = { 'content-type': 'application/json' }

/** Texts that are not valid values of the type, in a path or a query string, already encoded. */
const BAD_TEXTS: Record<ColumnKind, string[]> = {
  text: ['%00', 'a%00b'],
  uuid: ['1', 'not-a-uuid', '00000000-0000-0000-0000-00000000000g', '%00'],
  integer: ['abc', '1.5', '1e0', '0x1', '01', '%2B1', '1%20', '1%00', '9'.repeat(30), '1;2'],
  number: ['abc', '1e3', '0x1', '.5', '%2B1', 'NaN', 'Infinity', '1%00'],
  boolean: ['yes', '2', 'null', '%00'],
  date: ['2024-02-30', '2024-1-1', 'today', '2024', '%00'],
  datetime: ['2024-02-30%2010:00:00', '2024-01-01%2025:00:00', 'now', '%00'],
  time: ['25:00:00', '10', 'noon', '%00'],
  json: ['1', '{}'],
  binary: ['1', 'aGk='],
}

/** JSON values that are not valid values of the type. */
const BAD_VALUES: Record<ColumnKind, unknown[]> = {
  text: [5, true, {}, ['a'], 'a\0b', '\ud800'],
  uuid: [5, 'not-a-uuid', {}, ''],
  integer: [1.5, true, '', 'abc', '0x10', '1e3', [5], {}, 1e30, '9'.repeat(30)],
  number: [true, '', 'abc', '0x10', '1e3', [5], {}],
  boolean: ['maybe', 2, {}, []],
  date: ['2024-02-30', 'today', 5, {}, ''],
  datetime: ['2024-02-30 10:00:00', 'now', {}, '', true],
  time: ['25:00:00', 'noon', 5, {}],
  json: ['a\0b', { 'a\0b': 1 }, ['\ud800']],
  binary: ['***', 5, {}],
}

const BAD_BODIES: Array<Pick<Request, 'body' | 'headers'>> = [
  ...['', '{', '[', '{"a":}', "{'a':1}", 'undefined', '{"a":1}{', '{"a":\0}', 'NaN'].map(json),
  ...['[]', 'null', 'true', '5', '"text"', '[{}]'].map(json),
  json('{"a":'.repeat(40) + '1' + '}'.repeat(40)),
  { body: new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x7d]), headers: JSON_TYPE },
]

const BAD_HEADERS: Array<Pick<Request, 'body' | 'headers'>> = [
  ...['text/plain', 'text/xml', 'application/merge-patch+json', 'multipart/form-data', 'json', ';']
    .concat(['application/json; charset=latin1', 'application/jsonx', '*/*'])
    .map((type) => ({ body: '{}', headers: { 'content-type': type } })),
  ...['gzip', 'br', 'deflate', 'zstd', 'gzip, gzip', '?'].map((encoding) => ({
    body: '{}',
    headers: { ...JSON_TYPE, 'content-encoding': encoding },
  })),
]

function json(body: string) {
  return { body, headers: JSON_TYPE }
}

/** All kinds of errors in a request to one endpoint. */
function casesOf(endpoints: EndpointCreator): Case[] {
  const { resource, path } = endpoints
  return endpoints.operations.flatMap((operation) => {
    const base = { method: METHODS[operation], path: path + segmentOf(endpoints, operation) }
    const cases: Array<[kind: string, request: fc.Arbitrary<Request>]> = [
      [
        'method',
        fc.constantFrom('PUT', 'PROPFIND', 'PURGE').map((method) => ({ ...base, method })),
      ],
      ['url', fc.constantFrom('/%zz', '/%C0%80', '?%zz').map((bad) => at(base, bad))],
    ]
    if (operation === 'read_multi') cases.push(['query', badQueries(base, resource)])
    if (operation !== 'create' && operation !== 'read_multi') {
      cases.push(['id', badIds(base, resource)])
    }
    if (operation === 'create' || operation === 'update') {
      const key = operation === 'update' ? keyOfAnonymous(resource) : ''
      const target = at(base, key)
      cases.push(['body', fc.constantFrom(...BAD_BODIES).map((body) => ({ ...target, ...body }))])
      cases.push(['type', fc.constantFrom(...BAD_HEADERS).map((body) => ({ ...target, ...body }))])
      const fields = badFields(target, operation, resource)
      if (fields) cases.push(['field', fields])
    }
    return cases.map(([kind, request]) => ({ name: `${path} ${operation} ${kind}`, request }))
  })
}

function at(base: Request, rest: string): Request {
  return { ...base, path: base.path + rest }
}

function segmentOf(endpoints: EndpointCreator, operation: Operation): string {
  const { endpointNames } = optionsOf(endpoints)
  const segment = endpointNames?.[operation] ?? (operation === 'db_delete' ? 'db_delete' : '')
  return segment === '' ? '' : `/${segment}`
}

function optionsOf(endpoints: EndpointCreator): CrudOptions {
  return (endpoints as unknown as { options: CrudOptions }).options
}

/** Each part of the key is invalid once; the others are valid. */
function badIds(base: Request, { key }: Resource): fc.Arbitrary<Request> {
  const bad = key.columns.map(({ kind }, index) =>
    fc.constantFrom(...BAD_TEXTS[kind]).map((text) => {
      const parts = key.columns.map((column) => GOOD_TEXTS[column.kind] ?? '1')
      return `/${parts.with(index, text).join('/')}`
    })
  )
  return fc.oneof(...bad, fc.constant(keyOfAnonymous({ key } as Resource))).map((id) => ({
    ...at(base, id),
    ...(base.method === 'PATCH' && json('{}')),
  }))
}

const GOOD_TEXTS: Partial<Record<ColumnKind, string>> = {
  uuid: '6f1c1d53-3ba5-4a0f-8f5f-000000000000',
  date: '1999-12-31',
  datetime: '1999-12-31%2023:59:59',
  time: '23:59:59',
  boolean: 'true',
}

/** A valid key without an item. */
function keyOfAnonymous({ key }: Pick<Resource, 'key'>): string {
  return key.columns.map(({ kind }) => `/${GOOD_TEXTS[kind] ?? '987654321'}`).join('')
}

function badQueries(base: Request, resource: Resource): fc.Arbitrary<Request> {
  const count = fc.constantFrom('abc', '-1', '1.5', '1e3', '0x1', '%2B1', '%00', '1,2')
  const isFilter = (name: string) => resource.filters.get(name) !== undefined
  const hidden = resource.columns.all
    .filter((column) => column.hidden)
    .map(({ apiName }) => apiName)

  const queries = [
    fc
      .tuple(fc.constantFrom('page', 'itemsPerPage', 'offset', 'limit'), count)
      .map(([name, value]) => `${name}=${value}`),
    fc.constantFrom('page=0', 'itemsPerPage=0', 'page=1&page=1', 'limit[]=1', 'offset[a]=1'),
    fc.constantFrom('page=1&limit=1', 'itemsPerPage=5&offset=0', 'page=2&offset=1'),
  ]
  if (!isFilter('sort')) {
    const sorts = ['nothing', '', ',', '-', '--id', 'id,,id', 'id;drop', "id'", '%00', ...hidden]
    queries.push(fc.constantFrom(...sorts).map((sort) => `sort=${sort}`))
  }
  if (resource.showDeleted && resource.softDelete && !isFilter('deleted')) {
    queries.push(fc.constantFrom('deleted=yes', 'deleted=ONLY', 'deleted=only&deleted=only'))
  }
  for (const { name, column, operator } of resource.filters.all) {
    const values = operator === 'eq' ? BAD_TEXTS[column.kind] : ['%00']
    queries.push(fc.constantFrom(...values).map((value) => `${name}=${value}`))
    queries.push(fc.constantFrom(`${name}=1&${name}=1`, `${name}[]=1`, `${name}[a][b]=1`))
  }
  return fc.oneof(...queries).map((query) => at(base, `?${query}`))
}

/** Text columns whose own schema accepts a number */
const ACCEPTED = ['coupons.zip']

/** Bodies in which one field has an invalid value for its column. */
function badFields(base: Request, operation: 'create' | 'update', resource: Resource) {
  const { fields } = operation === 'create' ? resource.createBody : resource.updateBody
  const columns = fields
    .flatMap(({ column }) =>
      column && !(operation === 'update' && column.isPrimary) ? [column] : []
    )
    .filter(({ name }) => !ACCEPTED.includes(`${resource.table}.${name}`))
  if (columns.length === 0) return undefined
  return fc
    .constantFrom(...columns)
    .chain((column) =>
      fc.constantFrom(...badValuesOf(column)).map((value) => ({ [column.apiName]: value }))
    )
    .map((error) => ({ ...base, ...json(JSON.stringify(error)) }))
}

function badValuesOf(column: Column): unknown[] {
  return [
    ...BAD_VALUES[column.kind],
    ...(column.choices ? ['none of the choices'] : []),
    ...(column.maxLength === null ? [] : ['x'.repeat(column.maxLength + 1)]),
  ]
}

/** Every row of every table; only PostgreSQL needs a schema. */
async function dump(): Promise<Record<string, unknown[]>> {
  const tables = await db.connection().getAllTables(['public'])
  const rows = await Promise.all(tables.map(async (name) => [name, await db.from(name)]))
  return Object.fromEntries(rows)
}

async function check({ method, path, body, headers }: Request, resource: Resource) {
  const response = await call(method, path, { body, headers })
  const { text } = response
  const fail = (reason: string) => {
    throw new Error(`${reason}: ${response.status} ${text.slice(0, 300)}`)
  }
  if (response.status < 400 || response.status > 499) fail('not refused')
  if (!/^application\/problem\+json/.test(response.headers.get('content-type') ?? '')) {
    fail('no problem+json')
  }
  const { type, title, status, detail } = response.body
  if (
    ![type, title, detail].every((one) => typeof one === 'string') ||
    status !== response.status
  ) {
    fail('a member is missing')
  }
  const isWord = resource.columns.all.some(({ apiName }) => apiName === resource.table)
  const leak =
    /\b(sqlite|select|insert into|constraint|violates|duplicate|node_modules)\b|\.[jt]s\b|\n\s+at /i
  if (leak.test(text) || (!isWord && new RegExp(`\\b${resource.table}\\b`).test(text))) {
    fail('tells of the inside')
  }
  if (response.headers.get('x-request-id') === null) fail('no request id')
}

test.group('Malformed requests', (group) => {
  group.each.setup(async () => {
    for (const table of ['route_items', 'countries', 'seats', 'utensils']) {
      await db.from(table).delete()
    }
    await db.table('route_items').insert({ id: 1, name: 'one' })
    await db.table('countries').insert({ code: 'a', name: 'A' })
    await db.table('seats').insert({ hall: 1, place: '1', label: 'front' })
    const now = '2026-01-01 00:00:00'
    const utensil = { name: 'Lamp', description: '', category: 'Light', price: 1, created_at: now }
    await db.table('utensils').insert({ ...utensil, id: 1 })
  })

  test('[A4, A9, A6] random malformed requests to every endpoint are refused and change nothing', async ({
    assert,
  }) => {
    const plain = resources
      .endpoints()
      .filter((one) => one.constructor === EndpointCreator && !optionsOf(one).middleware)
      .filter((one) => one.operations.every((operation) => one.accessOf(operation) === 'public'))
    const cases = plain.flatMap((endpoints) =>
      casesOf(endpoints).map((one) => ({ ...one, resource: endpoints.resource }))
    )
    const numRuns = Math.max(1, Math.round(RUNS / cases.length))
    const before = await dump()

    for (const { name, request, resource } of someOf(cases, 5)) {
      try {
        await fc.assert(
          fc.asyncProperty(request, (one) => check(one, resource)),
          { numRuns }
        )
      } catch (error) {
        assert.fail(`${name}\n${(error as Error).message}\n${(error as Error).cause ?? ''}`)
      }
    }
    assert.isAbove(cases.length, 100)
    assert.deepEqual(await dump(), before)
  }).timeout(60_000)
})
