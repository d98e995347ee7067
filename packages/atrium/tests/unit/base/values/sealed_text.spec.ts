import { test } from '@japa/runner'
import fc from 'fast-check'
import { sealText, unsealText } from '#base/values/sealed_text'

const any = fc.string({ unit: 'grapheme', maxLength: 60 })

test.group('Sealed (encrypted) texts', () => {
  test('[Q4] a sealed text can be opened only for its purpose', ({ assert }) => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), any, any, (text, purpose, other) => {
        const sealed = sealText(text, purpose)
        assert.match(sealed, /^[\w-]+$/)
        assert.equal(unsealText(sealed, purpose), text)
        if (other !== purpose) assert.isNull(unsealText(sealed, other))
      })
    )
  })

  test('[Q4] sealing the same text gives the same result, and no two texts share a nonce', ({
    assert,
  }) => {
    const nonces = new Map<string, string>()
    fc.assert(
      fc.property(fc.string(), fc.string(), (text, purpose) => {
        const sealed = sealText(text, purpose)
        assert.equal(sealText(text, purpose), sealed)
        const which = JSON.stringify([text, purpose])
        const nonce = sealed.slice(0, 16)
        assert.equal(nonces.get(nonce) ?? which, which)
        nonces.set(nonce, which)
      })
    )
    const nonceOf = (text: string, purpose: string) => sealText(text, purpose).slice(0, 16)
    assert.notEqual(nonceOf('bc', 'a'), nonceOf('c', 'ab'))
  })

  test('[Q4] a sealed text that was changed, truncated or extended can’t be opened', ({
    assert,
  }) => {
    const sealed = sealText('[12,"Ärger"]', 'films')
    const bytes = Buffer.from(sealed, 'base64url')
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const changed = Buffer.from(bytes)
      changed[bit >> 3] ^= 1 << (bit & 7)
      assert.isNull(unsealText(changed.toString('base64url'), 'films'))
    }
    for (let length = 0; length < sealed.length; length++) {
      assert.isNull(unsealText(sealed.slice(0, length), 'films'))
    }
    for (const other of [
      `${sealed}A`,
      `${sealed}=`,
      ` ${sealed}`,
      `${sealed.slice(0, 9)}.${sealed.slice(9)}`,
    ]) {
      assert.isNull(unsealText(other, 'films'))
    }
  })

  test('[Q4] a sealed text does not contain the original text', ({ assert }) => {
    const sealed = Buffer.from(sealText('a rather long secret', 'films'), 'base64url')
    assert.notInclude(sealed.toString('latin1'), 'secret')
  })
})
