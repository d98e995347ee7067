import { HttpContextFactory } from '@adonisjs/core/factories/http'
import { test } from '@japa/runner'
import fc from 'fast-check'
import { Problem } from '#crud'
import { idempotencyKeyOf } from '#crud/http/idempotency'

function keyIn(header: string | undefined) {
  const ctx = new HttpContextFactory().create()
  if (header !== undefined) ctx.request.request.headers['idempotency-key'] = header
  return idempotencyKeyOf(ctx)
}

const printable = fc.string({
  unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)),
  minLength: 1,
  maxLength: 255,
})

test.group('idempotencyKeyOf()', () => {
  test('[Q7] any text in quotes is parsed to the original key', ({ assert }) => {
    fc.assert(
      fc.property(printable, (key) => {
        assert.equal(keyIn(`"${key.replace(/["\\]/g, '\\$&')}"`), key)
      })
    )
  })

  test('[Q7] any header value is parsed to a key, or is a 400 that names the header', ({
    assert,
  }) => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), printable, fc.string({ maxLength: 600 })), (header) => {
        try {
          const key = keyIn(header)!
          assert.isAtLeast(key.length, 1)
          assert.isAtMost(key.length, 255)
          assert.match(key, /^[\x20-\x7e]+$/)
        } catch (error) {
          assert.instanceOf(error, Problem)
          assert.equal((error as Problem).status, 400)
          assert.include((error as Problem).message, 'Idempotency-Key')
        }
      })
    )
  })

  test('[Q7] quotes are optional and do not change the key: {$self}')
    .with([
      '8e03978e-40d5-43e8-bc93-6894a57f9324',
      'a',
      'Zm9v+/8=',
      'order:42',
      '*',
      'K'.repeat(255),
    ])
    .run(({ assert }, key) => {
      assert.equal(keyIn(key), key)
      assert.equal(keyIn(`"${key}"`), key)
      assert.equal(keyIn(` ${key}\t`), key)
    })

  test('[Q7] the header value {$self} is not a valid key')
    .with([
      '',
      ' ',
      '""',
      '"a',
      'a"',
      'a b',
      'a, b',
      '"a", "b"',
      '"a\\b"',
      '"a";x=1',
      '"ä"',
      'ä',
      '"\u007f"',
      'x'.repeat(256),
      `"${'x'.repeat(256)}"`,
    ])
    .run(({ assert }, header) => {
      assert.throws(() => keyIn(header), /^The header Idempotency-Key is malformed/)
    })

  test('[Q7] a request without the header Idempotency-Key has no key', ({ assert }) => {
    assert.isUndefined(keyIn(undefined))
  })
})
