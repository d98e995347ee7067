import { inspect, stripVTControlCharacters } from 'node:util'
import { prettyPrintError } from '@adonisjs/core'
import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'
import { ValueError } from '#crud'
import { defineConfig } from '#crud/define_config'
import { pretendProduction } from '#tests/helpers/production'

test.group('defineConfig()', () => {
  test('[P5, A10, Q7] the default values are those of the documentation', ({ assert }) => {
    assert.deepEqual(defineConfig(), {
      prefix: '/api',
      access: 'public',
      isAccessDecided: false,
      strictQuery: false,
      strictBody: false,
      compat: [],
      pagination: {
        limit: 100,
        itemsPerPage: 10,
        maximum: 1000,
        included: 10_000,
        includedPerRecord: 100,
      },
      body: { limit: 1_048_576, depth: 32 },
      limits: { text: 100_000, export: 100_000, response: 33_554_432, responses: 100_663_296 },
      idempotency: { hours: 24 },
      cors: { origins: [], credentials: false },
      openapi: { enabled: true, access: 'public', title: null, version: null },
      docs: { enabled: true, access: 'public', path: '/docs' },
      rateLimit: null,
      excludedModels: [],
      excludedMigrations: [],
      server: {
        graceSeconds: 8,
        headersSeconds: 20,
        requestSeconds: 120,
        writeSeconds: 30,
        idleSeconds: 65,
      },
    })
  })

  test('[W1] in development, pages of localhost can call the endpoints', ({ assert, cleanup }) => {
    Object.defineProperty(app, 'inDev', { value: true, configurable: true })
    cleanup(() => void Reflect.deleteProperty(app, 'inDev'))
    const allows = defineConfig().cors.origins as (origin: string) => boolean
    assert.isTrue(allows('http://localhost:5173'))
    assert.isTrue(allows('https://127.0.0.1'))
    for (const origin of ['null', 'http://localhost.evil.test', 'http://evil.test']) {
      assert.isFalse(allows(origin), origin)
    }
    assert.deepEqual(defineConfig({ cors: { origins: [] } }).cors.origins, [])
  })

  test('[P9] AdonisJS prints an invalid value as one line without a stack', async ({
    assert,
    cleanup,
  }) => {
    const printed: string[] = []
    const { error: print } = console
    console.error = (text: unknown) => printed.push(inspect(text), String(text))
    cleanup(() => void (console.error = print))
    const failure = await Promise.resolve()
      .then(() => defineConfig({ prefix: 7 as any }))
      .catch((error: unknown) => error)
    await prettyPrintError(failure)
    assert.instanceOf(failure, ValueError)
    const lines = stripVTControlCharacters(printed[1]).trim().split('\n')
    assert.lengthOf(lines, 1)
    assert.match(lines[0], /config\/crud\.ts: prefix is 7, and must be \//)
    /* What Node.js prints where AdonisJS has no printer of errors */
    assert.equal(inspect(failure), (failure as Error).message)
  })

  test('[P10] the default access is public in development and token in production', ({
    assert,
    cleanup,
  }) => {
    const accessOf = (access?: 'public' | 'token' | null) => {
      const config = defineConfig({ access })
      return [config.access, config.isAccessDecided]
    }
    assert.deepEqual(accessOf(null), ['public', false])
    cleanup(pretendProduction())
    assert.deepEqual(accessOf(), ['token', false])
    assert.deepEqual(accessOf(null), ['token', false])
    assert.deepEqual(accessOf('public'), ['public', true])
    assert.deepEqual(accessOf('token'), ['token', true])
  })

  test('given options are merged with the defaults', ({ assert }) => {
    const config = defineConfig({
      access: 'token',
      strictQuery: true,
      pagination: { maximum: 50 },
      body: { depth: 3 },
      rateLimit: { requests: 100, seconds: 60 },
    })

    assert.equal(config.access, 'token')
    assert.isTrue(config.strictQuery)
    assert.deepEqual(config.pagination, {
      limit: 100,
      itemsPerPage: 10,
      maximum: 50,
      included: 10_000,
      includedPerRecord: 100,
    })
    assert.deepEqual(config.body, { limit: 1_048_576, depth: 3 })
    assert.deepEqual(config.rateLimit, { requests: 100, seconds: 60 })
  })

  test('[P5] a prefix in any notation is normalized')
    .with([
      ['/api', '/api'],
      ['api', '/api'],
      ['//api/v1/', '/api/v1'],
      ['/', ''],
      ['', ''],
    ])
    .run(({ assert }, [prefix, path]) => {
      assert.equal(defineConfig({ prefix }).prefix, path)
    })

  test('[P9] a number that is not a positive integer is an error that names the option')
    .with([
      { pagination: { limit: 0 } },
      { pagination: { itemsPerPage: -1 } },
      { pagination: { maximum: 1.5 } },
      { body: { limit: Number.NaN } },
      { idempotency: { hours: 0 } },
      { body: { depth: '32' as unknown as number } },
      { rateLimit: { requests: 0, seconds: 60 } },
      { rateLimit: { seconds: 1.5, requests: 60 } },
      { rateLimit: { seconds: undefined as unknown as number, requests: 60 } },
      { server: { graceSeconds: 0 } },
    ])
    .run(({ assert }, config) => {
      const [[group, values]] = Object.entries(config)
      const [[name, value]] = Object.entries(values!)
      const text = `config/crud.ts: ${group}.${name} is ${inspect(value)}, and must be a positive integer`
      assert.throws(() => defineConfig(config as object), ValueError as any, text)
    })

  test('[P9] an unknown access value is an error that names the option', ({ assert }) => {
    assert.throws(
      () => defineConfig({ access: 'everyone' as 'public' }),
      ValueError as any,
      "config/crud.ts: access is 'everyone', and must be 'public' or 'token'"
    )
    assert.throws(
      () => defineConfig({ docs: { access: 'admin' as 'public' } }),
      ValueError as any,
      "config/crud.ts: docs.access is 'admin', and must be 'public' or 'token'"
    )
    assert.throws(
      () => defineConfig({ openapi: { access: null as any } }),
      ValueError as any,
      "config/crud.ts: openapi.access is null, and must be 'public' or 'token'"
    )
  })

  test('[Q1] the docs option determines the access of API schema and API page: {docs}')
    .with([
      { docs: 'public', development: [true, 'public'], production: [true, 'public'] },
      { docs: 'token', development: [true, 'token'], production: [true, 'token'] },
      { docs: 'off', development: [false, 'token'], production: [false, 'token'] },
      { docs: null, development: [true, 'public'], production: [true, 'token'] },
      { docs: undefined, development: [true, 'public'], production: [true, 'token'] },
      { docs: {}, development: [true, 'public'], production: [true, 'token'] },
    ] as const)
    .run(({ assert, cleanup }, { docs, development, production }) => {
      const decided = () => {
        const config = defineConfig({ docs })
        for (const { enabled, access } of [config.openapi, config.docs]) {
          assert.deepEqual([enabled, access], [config.docs.enabled, config.docs.access])
        }
        return [config.docs.enabled, config.docs.access]
      }
      assert.deepEqual(decided(), [...development])
      cleanup(pretendProduction())
      assert.deepEqual(decided(), [...production])
    })

  test('[Q1] the options of earlier versions can configure schema and page separately', ({
    assert,
  }) => {
    const { openapi, docs } = defineConfig({
      docs: { enabled: false, access: 'token', path: '/help' },
      openapi: { access: 'public' },
    })
    assert.deepEqual(docs, { enabled: false, access: 'token', path: '/help' })
    assert.deepEqual([openapi.enabled, openapi.access], [true, 'public'])
    const mapped = defineConfig({ docs: 'off', openapi: { enabled: true, access: 'token' } })
    assert.deepEqual([mapped.openapi.enabled, mapped.docs.enabled], [true, false])
    assert.throws(
      () => defineConfig({ docs: 'none' as 'off' }),
      ValueError as any,
      "config/crud.ts: docs is 'none', and must be 'public', 'token', 'off' or null"
    )
  })

  test('[Q1] the path of the API page is normalized', ({ assert }) => {
    assert.equal(defineConfig({ docsPath: 'help/api/' }).docs.path, '/help/api')
    assert.equal(defineConfig({ docs: { path: 'help/api/' } }).docs.path, '/help/api')
    assert.throws(
      () => defineConfig({ docs: { path: '/' } }),
      ValueError as any,
      "config/crud.ts: docs.path is the root, and must be a path as in '/docs'"
    )
  })

  test(
    '[P9] the message about an invalid {option} names file, option, value {value} and the valid values'
  )
    .with([
      { option: 'prefx', wrong: '/api', value: 'prefx', right: 'prefix' },
      { option: 'prefix', wrong: 5, value: '5', right: 'names of letters' },
      { option: 'prefix', wrong: '/:id', value: "'/:id'", right: 'names of letters' },
      { option: 'access', wrong: 'all', value: "'all'", right: "'public' or 'token'" },
      { option: 'strictQuery', wrong: 'yes', value: "'yes'", right: 'true or false' },
      { option: 'strictBody', wrong: 1, value: '1', right: 'true or false' },
      { option: 'pagination', wrong: 5, value: '5', right: 'an object' },
      { option: 'pagination.limt', wrong: { limt: 5 }, value: 'limt', right: 'itemsPerPage' },
      { option: 'openapi', wrong: true, value: 'true', right: 'an object' },
      {
        option: 'openapi.enabled',
        wrong: { enabled: 'no' },
        value: "'no'",
        right: 'true or false',
      },
      { option: 'openapi.title', wrong: { title: 5 }, value: '5', right: 'a string or null' },
      { option: 'openapi.version', wrong: { version: 1 }, value: '1', right: 'a string or null' },
      { option: 'docs.enabled', wrong: { enabled: 0 }, value: '0', right: 'true or false' },
      { option: 'docs.path', wrong: { path: '/a b' }, value: "'/a b'", right: 'names of letters' },
      { option: 'docs.path', wrong: { path: 5 }, value: '5', right: 'names of letters' },
      { option: 'limits.text', wrong: { text: -1 }, value: '-1', right: 'a positive integer' },
      {
        option: 'limits.bytes',
        wrong: { bytes: 1 },
        value: 'bytes',
        right: 'text, export, response and responses',
      },
      { option: 'rateLimit', wrong: 100, value: '100', right: '{ requests: 100, seconds: 60 }' },
      {
        option: 'rateLimit.seconds',
        wrong: { requests: 1 },
        value: 'NaN',
        right: 'positive integer',
      },
      {
        option: 'rateLimit.minutes',
        wrong: { requests: 1, seconds: 1, minutes: 1 },
        value: 'minutes',
        right: 'seconds',
      },
      {
        option: 'server.idleSeconds',
        wrong: { idleSeconds: 1e8 },
        value: '100000000',
        right: 'at the most',
      },
    ])
    .run(({ assert }, { option, wrong, value, right }) => {
      let message = ''
      try {
        defineConfig({ [option.split('.')[0]]: wrong })
      } catch (error) {
        message = (error as Error).message
      }
      assert.match(message, /^config\/crud\.ts: /)
      assert.include(message, option)
      assert.include(message, value)
      assert.include(message, right)
    })
})
