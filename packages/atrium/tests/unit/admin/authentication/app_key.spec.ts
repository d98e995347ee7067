import { readFile } from 'node:fs/promises'
import { randomBytes } from 'node:crypto'
import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'
import { checkAppKey, isGuessable } from '#admin/authentication/app_key'

test.group('The application key', () => {
  test('[B4] a known or weak key is refused, and the error does not contain it')
    .with(['', 'short', 'x'.repeat(31), 'x'.repeat(64), 'abc'.repeat(20), '9'.repeat(31)])
    .run(({ assert }, key) => {
      try {
        checkAppKey(key)
      } catch (error) {
        const [reason] = (error as Error).message.split('. Make')
        assert.match(reason, /^APP_KEY (has \d+ characters|repeats)/)
        if (key !== '') assert.notInclude(reason, key)
        return
      }
      assert.fail(`${key} was accepted`)
    })

  test('[B4] the key of the tests is refused', async ({ assert }) => {
    const text = await readFile(app.makePath('.env.test'), 'utf8')
    const [, key] = /^APP_KEY=(.*)$/m.exec(text)!
    assert.throws(() => checkAppKey(key), /\.env\.test/)
  })

  test('[B4] a generated application key is accepted', () => {
    for (let i = 0; i < 100; i++) checkAppKey(randomBytes(32).toString('base64url'))
    checkAppKey(randomBytes(16).toString('hex'))
  })

  test('keys of words, repetitions and counting sequences are recognized as weak', ({ assert }) => {
    for (const key of [
      'correct horse battery correct horse battery 7',
      'Change-me-1 Change-me-1 Change-me-1 ',
      'thisisaverysecretkeyofourcompany',
      'abcdefghijklmnopqrstuvwxyz0123456789',
    ]) {
      assert.isTrue(isGuessable(key), key)
    }
    for (let i = 0; i < 1000; i++) {
      for (const coding of ['base64url', 'hex', 'base64'] as const) {
        const key = randomBytes(32).toString(coding)
        assert.isFalse(isGuessable(key), key)
      }
    }
  })
})
