import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import fc from 'fast-check'
import { resources } from '#crud'
import type { SchemaObject } from '#crud/openapi/openapi_types'
import { emptyAdminTables, makeUser } from '#tests/helpers/admin'
import { restartCounters } from '#tests/helpers/databases'
import { call, type HttpResponse } from '#tests/helpers/http'
import { ApiSchema, type Operation } from '#tests/helpers/openapi'
import { runs } from '#tests/helpers/random_runs'
import { issueToken } from '#tests/helpers/tokens'

/*
 * Fixtures with code that responds independently of the schema: overridden handlers, middleware
 * that refuses, a session whose database the request names.
 */
const OWN_RESPONSES = /^\/api\/(handlers|own-sheets|questions|refused|sessions|once-pairs)(\/|$)/

/** The endpoints of the demo, and the most unusual ones. */
const IN_DEPTH = /^\/api\/(utensils|reels|lenders|gadgets|openapi-wares)(\/|$)/

/** One random request to an operation. */
interface Try {
  path: Record<string, string>
  query: Record<string, unknown>
  headers: Record<string, string>
  body: { value?: unknown; text?: string; isValid: boolean }
}

let schema: ApiSchema
let authorization: Record<string, string>

/** Paths of items that existed at some time, by the template of their path. */
const known = new Map<string, string[]>()

/** A valid body, an invalid one, or none. */
function bodies(operation: Operation): fc.Arbitrary<Try['body']> {
  const form = operation.requestBody?.content['application/json']?.schema
  if (!form) return fc.constant({ isValid: true })
  const valid = schema.arbitrary(form)
  const broken = fc
    .tuple(valid, fc.jsonValue({ maxDepth: 1 }), fc.nat())
    .map(([value, other, index]) => {
      const names = Object.keys(Object(value))
      return names.length > 0
        ? { ...(value as object), [names[index % names.length]]: other }
        : other
    })
  return fc.oneof(
    { weight: 6, arbitrary: valid.map((value) => ({ value, isValid: true })) },
    { weight: 3, arbitrary: broken.map((value) => ({ value, isValid: false })) },
    {
      weight: 1,
      arbitrary: fc.constantFrom('', '{', '[]', 'null').map((text) => ({ text, isValid: false })),
    }
  )
}

/* Valid characters of a header. */
const visible = fc.stringMatching(/^[\x21-\x7e]{1,20}$/)

/** For each parameter mostly no value, else a valid and now and then an invalid one. */
function tries(operation: Operation): fc.Arbitrary<Try> {
  const of = (place: string) =>
    schema.parameters(operation).filter((parameter) => parameter.in === place)
  const valueOf = (one: SchemaObject) => schema.arbitrary(one).map((value) => String(value))
  const some = (place: string, junk: fc.Arbitrary<string>, fits = valueOf) =>
    fc.record(
      Object.fromEntries(
        of(place).map((one) => [
          one.name,
          fc.oneof(
            { weight: 14, arbitrary: fc.constant(undefined) },
            { weight: 5, arbitrary: fits(one.schema) },
            { weight: 1, arbitrary: junk }
          ),
        ])
      )
    )
  return fc.record({
    path: fc.record(
      Object.fromEntries(of('path').map((one) => [one.name, valueOf(one.schema)]))
    ) as fc.Arbitrary<Record<string, string>>,
    query: some('query', fc.string()),
    headers: some('header', visible, ({ examples }) =>
      fc.oneof(visible, fc.constantFrom('*', '"a"', ...((examples as string[]) ?? [])))
    ) as fc.Arbitrary<Record<string, string>>,
    body: bodies(operation),
  })
}

/** Half of the requests are for an existing item, if there is one. */
function pathOf(operation: Operation, { path }: Try, round: number): string {
  const there = known.get(operation.path)
  if (there?.length && round % 2 === 0) return there[round % there.length]
  return operation.path.replace(/\{(\w+)\}/g, (_, name) => {
    const value = path[name]
    /* Clients would resolve or drop dot segments. */
    return encodeURIComponent(['', '.', '..'].includes(value) ? 'x' : value)
  })
}

async function send(operation: Operation, one: Try, round: number): Promise<HttpResponse> {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(one.query)) {
    if (value !== undefined) query.set(name, String(value))
  }
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(one.headers)) {
    if (value !== undefined) headers[name] = value
  }
  if (operation.security.length > 0 && round % 4 !== 0) Object.assign(headers, authorization)
  const { value, text } = one.body
  if (value !== undefined || text !== undefined) headers['content-type'] = 'application/json'
  return await call(
    operation.method.toUpperCase(),
    `${pathOf(operation, one, round)}${query.size > 0 ? `?${query}` : ''}`,
    { headers, body: text ?? (value === undefined ? undefined : JSON.stringify(value)) }
  )
}

/** Remembers the location of a created item. */
function note(operation: Operation, response: HttpResponse) {
  const location = response.headers.get('location')
  if (response.status !== 201 || !location) return
  const keys = location.slice(0).split('/')
  for (const { path } of schema.operations) {
    if (!path.includes('{') || !path.startsWith(`${operation.path}/`)) continue
    const template = path.split('/')
    const count = template.filter((part) => part.startsWith('{')).length
    const filled = [...template.slice(0, -count), ...keys.slice(-count)].join('/')
    if (template.slice(-count).every((part) => part.startsWith('{'))) {
      known.set(path, [...(known.get(path) ?? []), filled])
    }
  }
}

async function check(
  operation: Operation,
  numRuns: number,
  isFair?: (response: HttpResponse) => boolean
) {
  let round = 0
  await fc.assert(
    fc.asyncProperty(tries(operation), async (tried) => {
      const one = isFair ? { ...tried, headers: {} } : tried
      const response = await send(operation, one, ++round)
      note(operation, response)
      const error = schema.violationOf(operation, response)
      const told = `${operation.operationId}: ${JSON.stringify(one)} -> ${response.status} ${response.text.slice(0, 500)}`
      if (error) throw new Error(`${error}\n${told}`)
      if (isFair && one.body.isValid && !isFair(response)) throw new Error(`not fair\n${told}`)
    }),
    { numRuns, endOnFailure: true }
  )
}

/** Creating first, deleting last. */
const ORDER = ['post', 'get', 'put', 'patch', 'delete']

async function emptyTables() {
  await emptyAdminTables()
  const tables = [...new Set(resources.all().map(({ table }) => table))]
  /* Referring rows are deleted first; their order is not known. */
  for (let pass = 0; pass < 3; pass++) {
    await Promise.allSettled(tables.map((table) => db.from(table).delete()))
  }
}

test.group('API schema compared with responses', (group) => {
  group.setup(async () => {
    await emptyTables()
    /* Other databases keep counting beyond safe integers, while the schema describes usual keys. */
    await restartCounters()
    const token = await issueToken(await makeUser('ada'))
    authorization = token.headers
    schema = await ApiSchema.read()
    return emptyTables
  })

  test('[Q1] every response of every operation matches its declaration in the API schema', async ({
    assert,
  }) => {
    const operations = schema.operations
      .filter(({ path }) => !OWN_RESPONSES.test(path))
      .toSorted((one, other) => ORDER.indexOf(one.method) - ORDER.indexOf(other.method))
    assert.isAbove(operations.length, 300)
    const errors: string[] = []
    for (const operation of operations) {
      const rounds = IN_DEPTH.test(operation.path) ? runs(25) : runs(3)
      await check(operation, rounds).catch((error) =>
        errors.push(String(error.cause?.message).slice(0, 900))
      )
    }
    assert.deepEqual(errors, [])
  }).timeout(120_000)

  test('[Q1] the API accepts bodies that match the schema')
    .with(['createUtensil', 'createLender', 'createSample', 'createGadget', 'createSpecimen'])
    .run(async (_, id) => {
      await check(schema.operation(id), runs(60), ({ status }) => [201, 409].includes(status))
    })
})
