import { test } from '@japa/runner'
import { Secret, URI } from 'otpauth'
import fc from 'fast-check'
import {
  keyUri,
  newSecret,
  stepOf,
  hashOfRecoveryCode,
  newRecoveryCodes,
} from '#admin/authentication/factors/factors'

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
  test('[U8] the codes in RFC 6238 are accepted, also one step earlier and later')
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

  test('[U8] spaces in a code are ignored', ({ assert }) => {
    assert.equal(stepOf(' 081 804 ', KEY, 1111111109_000), 37037036)
  })

  test('[U8] only six digits are accepted as a code')
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

  test('[U8] the URL for authenticator apps contains site, user and the default settings', ({
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

test.group('Recovery codes', () => {
  test('[U8] recovery codes are ten different codes of 120 bits each', ({ assert }) => {
    const codes = newRecoveryCodes()
    assert.lengthOf(new Set(codes), 10)
    assert.isTrue(
      codes.every((code) => /^([0-9a-hjkmnp-tv-z]{4}-){5}[0-9a-hjkmnp-tv-z]{4}$/.test(code))
    )
    const signs = new Set(
      Array.from({ length: 50 }, newRecoveryCodes).flat().join('').replaceAll('-', '')
    )
    assert.lengthOf(signs, 32)
  })

  test('[U8] recovery codes are accepted in any case and grouping, with spaces and look-alike characters', ({
    assert,
  }) => {
    const [code] = newRecoveryCodes()
    const hash = hashOfRecoveryCode(code)
    fc.assert(
      fc.property(fc.array(fc.nat(3), { minLength: 29, maxLength: 29 }), (ways) => {
        const typed = [...code].map((sign, index) => {
          if (sign === '-') return ['-', ' ', '', ' - '][ways[index]]
          const alike = { 0: 'oO0o', 1: 'iLl1' }[sign]
          return alike ? alike[ways[index]] : ways[index] % 2 ? sign.toUpperCase() : sign
        })
        return hashOfRecoveryCode(typed.join('')) === hash
      })
    )
    assert.match(hash!, /^[0-9a-f]{64}$/)
  })

  test('[U8] no other text is accepted as a recovery code', ({ assert }) => {
    const [code] = newRecoveryCodes()
    const others = [
      '',
      '123456',
      code.slice(1),
      `${code}0`,
      code.replace(/^./, 'u'),
      '%'.repeat(24),
    ]
    for (const typed of others) assert.isNull(hashOfRecoveryCode(typed))
    assert.notEqual(hashOfRecoveryCode(newRecoveryCodes()[0]), hashOfRecoveryCode(code))
  })
})
