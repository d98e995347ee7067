import { brotliDecompressSync } from 'node:zlib'
import app from '@adonisjs/core/services/app'
import { Validator } from '@seriousme/openapi-schema-validator'
import { test } from '@japa/runner'
import { BaseModel, column } from '@adonisjs/lucid/orm'
import { EndpointCreator, resources, useTokenAuthorizer } from '#crud'
import type { SchemaObject } from '#crud/openapi/openapi_types'
import { buildDocument } from '#crud/openapi/document'
import { TokenAuthorizer } from '#admin/authentication/access_tokens/api_guard'
import { Gadget } from '#tests/fixtures/openapi'
import { emptyAdminTables, makeUser } from '#tests/helpers/admin'
import { call, get } from '#tests/helpers/http'
import { ApiSchema } from '#tests/helpers/openapi'
import { issueToken } from '#tests/helpers/tokens'

const PATH = '/api/openapi.json'

test.group('API schema', (group) => {
  let schema: ApiSchema

  group.setup(async () => {
    schema = await ApiSchema.read()
  })

  test('[Q1] the document validates against the meta-schema of OpenAPI 3.1', async ({ assert }) => {
    const { document } = schema
    const result = await new Validator().validate(structuredClone(document) as any)
    assert.deepEqual(result.errors ?? [], [])
    assert.isTrue(result.valid)
    assert.match(document.openapi, /^3\.1\./)
    assert.equal(document.info.title, 'Atrium API')
  })

  test('[W7] the document contains the titles, descriptions, contact and licence that OpenAPI linters require', ({
    assert,
  }) => {
    const { components, info, tags } = schema.document
    assert.isNotEmpty(info.description)
    assert.deepEqual(info.license, { name: 'MIT', identifier: 'MIT' })
    assert.match(info.contact!.url!, /^http/)
    for (const { name, description } of tags) assert.isNotEmpty(description, name)
    for (const { description, operationId, summary } of schema.operations) {
      assert.isNotEmpty(summary, operationId)
      assert.isNotEmpty(description, operationId)
    }
    for (const operation of schema.operations) {
      for (const { description, name } of schema.parameters(operation)) {
        if (operation.path.includes(`{${name}}`)) assert.isNotEmpty(description, operation.path)
      }
      /* Names of roles are for OAuth 2 only. */
      for (const one of operation.security) assert.deepEqual(Object.values(one).flat(), [])
    }
    const check = (part: unknown, place: string) => {
      if (typeof part !== 'object' || part === null) return
      const { anyOf, items, type } = part as SchemaObject
      if (type === 'array') assert.isDefined(items, `${place} has no items`)
      const isEmpty = (one: object) => Object.keys(one).length === 0
      if (Array.isArray(anyOf)) assert.isFalse(anyOf.some(isEmpty), `${place} matches anything`)
      for (const [name, inner] of Object.entries(part)) check(inner, `${place}/${name}`)
    }
    check(components.schemas, 'schemas')
    check(schema.document.paths, 'paths')
  })

  test('[W7] every component of the document is used, also for a single read-only model', ({
    assert,
  }) => {
    const config = app.config.get<any>('crud')
    const one = resources.endpoints().filter(({ path }) => path === '/api/wares-read-only')
    assert.lengthOf(one, 1)
    for (const endpoints of [resources.endpoints(), one]) {
      const document = buildDocument(endpoints, config, { title: 'T', version: '1' })
      const text = JSON.stringify(document)
      for (const [kind, parts] of Object.entries(document.components)) {
        for (const name of Object.keys(parts)) {
          const isUsed =
            text.includes(`#/components/${kind}/${name}"`) || text.includes(`"${name}":[`)
          assert.isTrue(isUsed, `${kind}/${name} is not used`)
        }
      }
    }
  })

  test('[W7] no request matches two paths of the document', ({ assert }) => {
    const paths = Object.keys(schema.document.paths).map((path) => path.split('/'))
    const fits = (one: string, other: string) =>
      one === other || one.startsWith('{') || other.startsWith('{')
    /* A path that is more concrete in each part goes before the other. */
    const isConcrete = (one: string[], other: string[]) =>
      one.every((part, index) => !part.startsWith('{') || other[index].startsWith('{'))
    for (const [index, one] of paths.entries()) {
      for (const other of paths.slice(index + 1)) {
        if (one.length !== other.length || !one.every((part, i) => fits(part, other[i]))) continue
        const isOrdered = isConcrete(one, other) || isConcrete(other, one)
        assert.isTrue(isOrdered, `${one.join('/')} and ${other.join('/')}`)
      }
    }
  })

  test('[W7] a list whose fields are selected matches a schema without required fields', async ({
    assert,
  }) => {
    const { body } = await get('/api/utensils?fields=name')
    const response = schema.response(schema.operation('listUtensils'), 200)!
    assert.isUndefined(schema.errorsOf(response.content!['application/json'].schema, body))
    const { Utensil, UtensilPart } = schema.document.components.schemas
    assert.isNotEmpty(Utensil.required)
    assert.notProperty(UtensilPart, 'required')
    assert.deepEqual(UtensilPart.properties, Utensil.properties)
  })

  test('[Q1, P7] a hidden column is only in bodies whose schema contains it', ({ assert }) => {
    const bodies = schema.operations
      .filter(({ path }) => path.startsWith('/api/samples'))
      .map(({ method, path, requestBody }) => {
        const body = schema.resolve<any>(requestBody ?? ({} as any)).content?.['application/json']
          .schema
        return [`${method} ${path}`, schema.resolve<any>(body ?? {}).properties ?? {}] as const
      })
    const named = bodies.filter(([, properties]) => 'secret' in properties)
    assert.deepEqual(
      named.map(([operation]) => operation),
      ['post /api/samples-by-hand', 'patch /api/samples-by-hand/{id}']
    )
    const withoutBodies = schema.operations
      .filter(({ path }) => path.startsWith('/api/samples'))
      .map(({ requestBody, ...operation }) => operation)
    assert.notInclude(JSON.stringify(withoutBodies), '"secret"')
    assert.notProperty(
      schema.resolve<any>({ $ref: '#/components/schemas/Sample' }).properties,
      'secret'
    )
  })

  test('[Q1] every route is an operation with a unique id and tags', ({ assert }) => {
    const { operations } = schema
    const ids = operations.map(({ operationId }) => operationId)
    assert.lengthOf(new Set(ids), ids.length)
    assert.lengthOf(
      operations,
      resources.endpoints().reduce((sum, { routes }) => sum + routes.length, 0)
    )
    assert.isTrue(operations.every(({ tags }) => tags.length > 0))
    assert.sameMembers(
      operations
        .filter(({ path }) => /^\/api\/utensils\b/.test(path))
        .map((one) => one.operationId),
      [
        'createUtensil',
        'listUtensils',
        'getUtensil',
        'updateUtensil',
        'deleteUtensil',
        'dbDeleteUtensil',
      ]
    )
  })

  test('[S15, S61] tags come from the option, and endpoints of the admin site are not part of the document', ({
    assert,
  }) => {
    assert.deepEqual(schema.operation('listUtensils').tags, ['Utensils'])
    assert.deepEqual(schema.operation('listGadgets').tags, ['Gadgets', 'Tools'])
    assert.deepEqual(schema.operation('listSeats').tags, ['Seat'])
    const names = schema.document.tags.map(({ name }) => name)
    assert.includeMembers(names, ['Utensils', 'Reels', 'Gadgets', 'Tools', 'Seat'])
    assert.lengthOf(new Set(names), names.length)

    assert.isTrue(Object.keys(schema.document.paths).every((path) => path.startsWith('/api/')))
    assert.notMatch(JSON.stringify(schema.document), /\/admin|\/crud["/]/)
  })

  test('[Q1, A16] a declared filter is a parameter with its type', ({ assert }) => {
    const parameters = new Map(
      schema.parameters(schema.operation('listUtensils')).map((one) => [one.name, one])
    )
    const of = (name: string) => parameters.get(name)!.schema
    assert.equal(of('price__gte').type, 'number')
    assert.equal(of('category').type, 'string')
    assert.deepEqual(of('last_sold__is').enum, ['null'])
    assert.deepEqual(of('deleted').enum, ['exclude', 'include', 'only'])
    assert.equal(of('page').minimum, 1)
    assert.equal(of('limit').minimum, 0)

    const sort = new RegExp(of('sort').pattern!, 'u')
    assert.isTrue(sort.test('name,-price'))
    for (const wrong of ['nothing', 'name,', '-', 'name price']) assert.isFalse(sort.test(wrong))
    const fields = new RegExp(of('fields').pattern!, 'u')
    assert.isTrue(fields.test('id,name'))
    assert.isFalse(fields.test('-id'))
  })

  test('[Q1, A17] a filter with the name of a built-in parameter replaces it', ({ assert }) => {
    const names = schema.parameters(schema.operation('listParcels')).map(({ name }) => name)
    assert.lengthOf(new Set(names), names.length)
    const sort = schema.parameters(schema.operation('listParcels')).find((p) => p.name === 'sort')!
    assert.isUndefined(sort.schema.pattern)
  })

  test('[Q1, A9] each column of a key is a parameter', ({ assert }) => {
    const of = (id: string) =>
      schema
        .parameters(schema.operation(id))
        .filter((one) => one.in === 'path')
        .map((one) => [one.name, one.schema.type, one.schema.format])
    assert.deepEqual(of('getUtensil'), [['id', 'integer', undefined]])
    assert.deepEqual(of('getTicket'), [['id', 'string', 'uuid']])
    assert.deepEqual(of('updateSeat'), [
      ['hall', 'integer', undefined],
      ['place', 'string', undefined],
    ])
    assert.deepEqual(of('deleteShift'), [
      ['worker', 'string', undefined],
      ['day', 'string', 'date'],
    ])
  })

  test('[Q1, P10] each operation declares its access', ({ assert }) => {
    assert.deepEqual(schema.operation('listWares').security, [])
    assert.deepEqual(schema.operation('createWare').security, [{ bearer: [] }])
    assert.deepEqual(schema.operation('createWare')['x-abilities'], ['Ware:create'])
    assert.notProperty(schema.operation('listWares'), 'x-abilities')
    assert.includeMembers(Object.keys(schema.operation('createWare').responses), ['401', '403'])
    assert.notInclude(Object.keys(schema.operation('listWares').responses), '401')
    assert.equal(schema.document.components.securitySchemes.bearer.scheme, 'bearer')
  })

  test('[Q1, P11] custom routes are described by their own metadata', ({ assert }) => {
    const heaviest = schema.operation('heaviestGadgets')
    assert.equal(heaviest.path, '/api/gadgets/heaviest')
    assert.equal(heaviest.summary, 'The three heaviest')
    assert.deepEqual(
      schema.parameters(heaviest).map(({ name }) => name),
      ['unit']
    )
    const polish = schema.operation('postGadgetsByNamePolish')
    /* The path exists already, with another name for its parameter. */
    assert.equal(polish.path, '/api/gadgets/{name}/polish')
    assert.deepEqual(Object.keys(polish.responses).slice(0, 1), ['202'])
    assert.deepEqual(polish.requestBody!.content['application/json'].schema, {
      type: 'object',
      properties: { cloth: { type: 'boolean' } },
      required: ['cloth'],
    })
    assert.isUndefined(schema.response(schema.operation('deleteGadgetsBySlugDust'), 204)!.content)
    assert.exists(schema.operation('putGadgetsAnything').responses['200'])
  })

  test('[Q1] models with the same name, or the name of a schema, get unique names', ({
    assert,
  }) => {
    const { schemas } = schema.document.components
    assert.property(schemas.Problem.properties!, 'detail')
    assert.property(schemas.Problem2.properties!, 'text')
    assert.property(schemas.ProblemList.properties!, 'text')
    assert.property(schemas.Problem2List.properties!, 'data')
    assert.equal(schema.operation('listWares').path, '/api/openapi-wares')
    assert.equal(schema.operation('listWaresAtWaresReadOnly').path, '/api/wares-read-only')
  })

  test('[Q1, A4] every error response is described as problem+json with an example', ({
    assert,
  }) => {
    for (const [name, response] of Object.entries(schema.document.components.responses)) {
      assert.deepEqual(Object.keys(response.content!), ['application/problem+json'], name)
      const { schema: form, example } = response.content!['application/problem+json']
      assert.isUndefined(schema.errorsOf(form, example), name)
    }
  })

  test('[Q1] the document is the same whatever the order of the endpoints', ({ assert }) => {
    const config = app.config.get<any>('crud')
    const info = { title: 'T', version: '1' }
    const one = buildDocument(resources.endpoints(), config, info)
    const other = buildDocument(resources.endpoints().toReversed(), config, info)
    assert.equal(JSON.stringify(one), JSON.stringify(other))
  })

  test("if one model can't be described, the document contains all others", async ({ assert }) => {
    class Broken extends BaseModel {
      static table = 'openapi_gadgets'

      @column({ isPrimary: true, meta: { openapi: { examples: [1n] } } })
      declare slug: string
    }
    class Unreadable extends EndpointCreator {
      addRoutesToRouter() {
        super.addRoutesToRouter()
        const openapi = { body: { examples: [1n] } } as any
        this.addCustomRoute({ method: 'POST', path: '/x', handler: () => null, openapi })
      }
    }
    const broken = new EndpointCreator({ model: Broken, path: 'broken' })
    const unreadable = new Unreadable({ model: Gadget, path: 'unreadable' })
    await broken.resource.load()
    await unreadable.resource.load()
    const all = [broken, unreadable, ...resources.endpoints()]
    const failed = new Set<string>()
    const document = buildDocument(
      all,
      app.config.get('crud'),
      { title: 'T', version: '1' },
      ({ name }) => failed.add(name)
    )
    assert.deepEqual([...failed].sort(), ['Broken', 'Gadget'])
    assert.includeMembers(Object.keys(document.paths), ['/api/utensils', '/api/utensils/{id}'])
    assert.notMatch(Object.keys(document.paths).join(), /broken|unreadable/)
    const { valid } = await new Validator().validate(JSON.parse(JSON.stringify(document)))
    assert.isTrue(valid)
  })

  test('[Q1, Q8] if there is a rate limit, every response in the document declares its headers', ({
    assert,
  }) => {
    const limited = new ApiSchema(
      buildDocument(
        resources.endpoints(),
        { ...app.config.get<any>('crud'), rateLimit: { requests: 1, seconds: 1 } },
        { title: 'T', version: '1' }
      )
    )
    const { responses } = limited.operation('listUtensils')
    assert.property(responses, '429')
    for (const status of Object.keys(responses)) {
      const { headers } = limited.response(limited.operation('listUtensils'), Number(status))!
      assert.includeMembers(Object.keys(headers!), ['RateLimit', 'RateLimit-Policy'], status)
    }
    assert.notProperty(schema.operation('listUtensils').responses, '429')
  })
})

test.group('API schema | serving', (group) => {
  group.each.setup(() => {
    const config = app.config.get<object>('crud')
    return () => app.config.set('crud', config)
  })

  test('[Q1] a client that has the current schema gets a 304', async ({ assert }) => {
    const first = await get(PATH)
    assert.equal(first.status, 200)
    assert.match(first.headers.get('content-type')!, /^application\/json/)
    assert.equal(first.headers.get('cache-control'), 'no-cache')
    const etag = first.headers.get('etag')!
    assert.match(etag, /^"[\w-]+"$/)
    const again = await get(PATH, { headers: { 'if-none-match': etag } })
    assert.equal(again.status, 304)
    assert.equal(again.text, '')
    assert.equal(again.headers.get('etag'), etag)
  })

  test('[Q1] the compressed schema has a separate entity tag', async ({ assert }) => {
    const plain = await get(PATH, { headers: { 'accept-encoding': 'identity' } })
    const brotli = await get(PATH, { headers: { 'accept-encoding': 'br' } })
    assert.equal(brotli.headers.get('content-encoding'), 'br')
    assert.deepEqual(brotli.body, plain.body)
    assert.notEqual(brotli.headers.get('etag'), plain.headers.get('etag'))
    assert.match(brotli.headers.get('vary')!, /accept-encoding/i)
    assert.isFunction(brotliDecompressSync)
  })

  test('[Q1, A25] other methods on the schema are a 405, as everywhere below the prefix', async ({
    assert,
  }) => {
    const response = await call('POST', PATH)
    assert.equal(response.status, 405)
    assert.equal(response.headers.get('allow'), 'GET, HEAD, OPTIONS')
  })

  test('[Q1, P10] the schema can require a token, which needs no particular ability', async ({
    assert,
    cleanup,
  }) => {
    await emptyAdminTables()
    const before = useTokenAuthorizer(new TokenAuthorizer())
    cleanup(() => void useTokenAuthorizer(before))
    const { openapi, ...config } = app.config.get<any>('crud')
    app.config.set('crud', { ...config, openapi: { ...openapi, access: 'token' } })

    const refused = await get(PATH)
    assert.equal(refused.status, 401)
    assert.match(refused.headers.get('content-type')!, /^application\/problem\+json/)
    assert.match(refused.headers.get('www-authenticate')!, /^Bearer/)

    const { headers } = await issueToken(await makeUser('ada'), ['Reel:read'])
    const shown = await get(PATH, { headers })
    assert.equal(shown.status, 200)
    assert.equal(shown.headers.get('cache-control'), 'no-store')
  })
})
