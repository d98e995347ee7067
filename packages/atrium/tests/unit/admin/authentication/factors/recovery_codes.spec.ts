import { test } from '@japa/runner'
import fc from 'fast-check'
import { hashOfRecoveryCode, newRecoveryCodes } from '#admin/authentication/factors/recovery_codes'

test.group('Recovery codes', () => {
  test('[U8] there are ten, all different, of 120 bits each', ({ assert }) => {
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

  test('[U8] ignores case, groups, spaces and look-alike characters', ({ assert }) => {
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

  test('[U8] no other text is a code', ({ assert }) => {
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
