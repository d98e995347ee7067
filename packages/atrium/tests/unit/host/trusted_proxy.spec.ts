import { test } from '@japa/runner'
import { checkTrustedProxy } from '#host/trusted_proxy'

test.group('checkTrustedProxy()', () => {
  test('an address, a network and a name are accepted as a trusted proxy')
    .with([
      undefined,
      '',
      'loopback',
      'uniquelocal',
      '10.0.0.7',
      '10.0.0.0/8',
      '10.0.0.0/255.0.0.0',
      '::1',
      'fd00::/16',
      '::ffff:10.0.0.0/104',
    ])
    .run(({ assert }, text) => {
      assert.doesNotThrow(() => checkTrustedProxy(text, true))
    })

  test('values that trust all clients are refused')
    .with(['*', 'true', 'ALL', '0.0.0.0/0', '0.0.0.0/0.0.0.0', '::/0', '::ffff:0.0.0.0/0'])
    .run(({ assert }, text) => {
      for (const isProduction of [true, false]) {
        assert.throws(() => checkTrustedProxy(text, isProduction), /trusts everybody/)
      }
    })

  test('networks of clients are refused in production only')
    .with(['0.0.0.0/1', '128.0.0.0/128.0.0.0', '2000::/3', '::ffff:0.0.0.0/96', '::ffff:0:0/97'])
    .run(({ assert }, text) => {
      assert.throws(() => checkTrustedProxy(text, true), /trusts everybody/)
      assert.doesNotThrow(() => checkTrustedProxy(text, false))
    })

  test('an invalid value is reported together with the accepted forms')
    .with(['proxy', '10.0.0.0/33', '10.0.0.0/x', '1.2.3', '10.0.0.0/8/8', '10.0.0.0/255.0.255.0'])
    .run(({ assert }, text) => {
      assert.throws(
        () => checkTrustedProxy(text, false),
        `TRUST_PROXY is "${text}", and must be the address of the proxy, its network as in 10.0.0.0/8, or loopback, linklocal, uniquelocal`
      )
    })
})
