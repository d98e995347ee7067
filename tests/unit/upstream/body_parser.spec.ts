import { HttpContextFactory } from '@adonisjs/core/factories/http'
import type BodyParserMiddleware from '@adonisjs/core/bodyparser_middleware'
import { test } from '@japa/runner'
import { parseBody } from '#upstream/body_parser'

/** Reads a body at which AdonisJS's parser fails in that way. */
async function readFailing(error: Error): Promise<{ status?: number }> {
  const handle = async () => {
    throw error
  }
  const parser = { handle } as unknown as BodyParserMiddleware
  const thrown = await parseBody(new HttpContextFactory().create(), parser).catch((fault) => fault)
  return thrown as { status?: number }
}

test.group('parseBody', () => {
  test('what can not be unpacked, or nests too deep to be read, is a fault of the caller', async ({
    assert,
  }) => {
    const garbled = Object.assign(new Error('incorrect header check'), { code: 'Z_DATA_ERROR' })
    for (const error of [garbled, new RangeError('Maximum call stack size exceeded')]) {
      const { status } = await readFailing(error)
      assert.equal(status, 400, error.message)
    }
  })

  test('any other fault stays what it is', async ({ assert }) => {
    const error = new Error('ENOSPC')
    assert.strictEqual(await readFailing(error), error)
  })
})
