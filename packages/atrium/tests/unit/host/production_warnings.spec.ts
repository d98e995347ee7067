import { test } from '@japa/runner'
import { addressOf, productionWarnings } from '#host/production_warnings'

const SAFE = {
  appUrl: 'https://shop.example.com',
  appKey: 'Zk3vQ9sXw7pLr2TtYb8NcH5mJd6GfA1eUo4iKqWz0Rx',
  limiterStore: 'database',
  networks: { allowedNetworks: ['10.0.0.0/8'] },
  trusts: () => false,
  connections: { postgres: { host: 'db.example.com', hasTls: true } },
}

test.group('Warnings of a production server', () => {
  test('safe settings cause no warnings, including databases in a file, behind a socket or on the same machine', ({
    assert,
  }) => {
    for (const host of [undefined, '/run/postgresql', 'localhost', '127.0.0.1', '::1']) {
      const connections = { main: { host, hasTls: false } }
      assert.deepEqual(productionWarnings({ ...SAFE, connections }), [])
    }
    assert.deepEqual(productionWarnings(SAFE), [])
    const networks = { allowedNetworks: ['127.0.0.1'] }
    assert.deepEqual(productionWarnings({ ...SAFE, networks, trusts: () => true }), [])
  })

  test('each unsafe setting is reported with the file that sets it, without secrets', ({
    assert,
  }) => {
    const appKey = 'correct horse battery correct horse battery 7'
    const warnings = productionWarnings({
      appUrl: 'http://shop.example.com',
      appKey,
      limiterStore: 'memory',
      networks: { 'metrics.addresses': ['10.0.0.0/8', '::1'] },
      trusts: () => false,
      connections: { mysql: { host: '10.0.0.5', hasTls: false } },
    })
    assert.lengthOf(warnings, 5)
    for (const [index, places] of [
      ['APP_URL', 'config/app.ts'],
      ['config/admin.ts', 'LIMITER_STORE'],
      ['APP_KEY'],
      ['metrics.addresses', '::1', 'TRUST_PROXY', 'config/app.ts'],
      ['config/database.ts', 'DB_TLS=true'],
    ].entries()) {
      for (const place of places) assert.include(warnings[index], place)
    }
    assert.notInclude(warnings.join(), appKey)
  })

  test('the host of a database connection, and whether it uses TLS, are read from its configuration', ({
    assert,
  }) => {
    const server = { host: 'db', ssl: { rejectUnauthorized: true }, password: 'x' }
    assert.deepEqual(addressOf({ connection: server }), { host: 'db', hasTls: true })
    assert.deepEqual(addressOf({ connection: { filename: 'x' } }), {
      host: undefined,
      hasTls: false,
    })
  })
})
