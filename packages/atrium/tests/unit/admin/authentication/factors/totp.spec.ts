import { test } from '@japa/runner'
import { Secret, URI } from 'otpauth'
import { keyUri, newSecret, stepOf } from '#admin/authentication/factors/totp'

/* The key of RFC 6238, appendix B, for SHA-1 */
const KEY = Secret.fromUTF8('12345678901234567890').base32

/** Seconds since 1970, and the last six of the eight digits there */
const VECTORS: Array<[seconds: number, code: string]> = [
  [59, '287082'],
  [1111111109, '081804'],
  [1111111111, '050471'],
  [1234567890, '005924'],
  [2000000000, '279037'],
  [20000000000, '353130'],
]

test.group('Codes of an authenticator app', () => {
  test('[U8] accepts the codes of RFC 6238, and those of one step before and after')
    .with(VECTORS)
    .run(({ assert }, [seconds, code]) => {
      const step = Math.floor(seconds / 30)
      for (const away of [-1, 0, 1]) {
        assert.equal(stepOf(code, KEY, (seconds + away * 30) * 1000), step)
      }
      for (const away of [-2, 2]) {
        assert.isNull(stepOf(code, KEY, (seconds + away * 30) * 1000))
      }
    })

  test('[U8] spaces in a code do not count', ({ assert }) => {
    assert.equal(stepOf(' 081 804 ', KEY, 1111111109_000), 37037036)
  })

  test('[U8] nothing but six digits is a code')
    .with([
      '',
      '81804',
      '0818044',
      '07081804',
      '08180a',
      '-81804',
      '٠٨١٨٠٤',
      '081804; --',
      '+81804',
    ])
    .run(({ assert }, typed) => {
      assert.isNull(stepOf(typed, KEY, 1111111109_000))
    })

  test('[U8] each secret has 160 random bits', ({ assert }) => {
    const secrets = Array.from({ length: 50 }, newSecret)
    assert.lengthOf(new Set(secrets), 50)
    assert.isTrue(secrets.every((secret) => Secret.fromBase32(secret).bytes.length === 20))
  })

  test('[U8] the address for apps names site, user, and what apps take for granted', ({
    assert,
  }) => {
    const totp = URI.parse(keyUri(KEY, { issuer: 'Ships & Co: "Nord"', label: 'jo' }))
    assert.equal(totp.issuer, 'Ships & Co  "Nord"')
    assert.equal(totp.label, 'jo')
    assert.equal(totp.secret.base32, KEY)
    assert.equal(totp.algorithm, 'SHA1')
    assert.equal(totp.digits, 6)
    assert.equal((totp as { period?: number }).period, 30)
  })
})
