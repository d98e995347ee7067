import { test } from '@japa/runner'
import { ValueError } from '#crud'
import { defineConfig } from '#crud/define_config'

test.group('defineConfig', () => {
  test('[P5, A10, A13] the defaults are the documented ones', ({ assert }) => {
    assert.deepEqual(defineConfig(), {
      prefix: '/api',
      access: 'public',
      strictQuery: false,
      pagination: { limit: 100, itemsPerPage: 10, maximum: 1000 },
      body: { limit: 1_048_576, depth: 32 },
    })
  })

  test('what is given stands beside the defaults', ({ assert }) => {
    const config = defineConfig({
      access: 'token',
      strictQuery: true,
      pagination: { maximum: 50 },
      body: { depth: 3 },
    })

    assert.equal(config.access, 'token')
    assert.isTrue(config.strictQuery)
    assert.deepEqual(config.pagination, { limit: 100, itemsPerPage: 10, maximum: 50 })
    assert.deepEqual(config.body, { limit: 1_048_576, depth: 3 })
  })

  test('[P5] the prefix is one place however it is written')
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

  test('[P9] a number that is no positive integer is named')
    .with([
      { pagination: { limit: 0 } },
      { pagination: { itemsPerPage: -1 } },
      { pagination: { maximum: 1.5 } },
      { body: { limit: Number.NaN } },
      { body: { depth: '32' as unknown as number } },
    ])
    .run(({ assert }, config) => {
      const [[group, values]] = Object.entries(config)
      const [[name, value]] = Object.entries(values!)
      const text = `config/crud.ts: ${group}.${name} is ${value}, and must be a positive integer`
      assert.throws(() => defineConfig(config), ValueError as any, text)
    })

  test('[P9] an access that does not exist is named', ({ assert }) => {
    assert.throws(
      () => defineConfig({ access: 'everyone' as 'public' }),
      ValueError as any,
      "config/crud.ts: access is 'everyone', and must be 'public' or 'token'"
    )
  })
})
