import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import BodyParser from '@adonisjs/core/bodyparser_middleware'
import app from '@adonisjs/core/services/app'
import type { BodyParserConfig } from '@adonisjs/core/types/bodyparser'
import { HttpContextFactory, RequestFactory } from '@adonisjs/core/factories/http'
import type BodyParserMiddleware from '@adonisjs/core/bodyparser_middleware'
import { test } from '@japa/runner'
import { parseBody } from '#upstream/body_parser'

/** Reads a body for which AdonisJS's parser throws this error. */
async function readFailing(error: Error): Promise<{ status?: number }> {
  const handle = async () => {
    throw error
  }
  const parser = { handle } as unknown as BodyParserMiddleware
  const thrown = await parseBody(new HttpContextFactory().create(), parser).catch(
    (invalid) => invalid
  )
  return thrown as { status?: number }
}

/** The error of AdonisJS's parser for a body with wrong headers. */
async function errorByItself(): Promise<{ status?: number; code?: string }> {
  const failed = Promise.withResolvers<{ status?: number; code?: string }>()
  const server = createServer((req, res) => {
    const request = new RequestFactory().merge({ req, res, method: 'POST' }).create()
    const ctx = new HttpContextFactory().merge({ request }).create()
    const parser = new BodyParser(app.config.get<BodyParserConfig>('bodyparser'))
    const handled = parser.handle(ctx, async () => {})
    failed.resolve(
      handled
        .then(
          () => ({}),
          (error) => error
        )
        .finally(() => res.end())
    )
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' }
  const responded = fetch(`http://127.0.0.1:${port}/`, { method: 'POST', headers, body: 'no gzip' })
  const error = await failed.promise
  await responded
  server.close()
  return error
}

test.group('parseBody()', () => {
  test("the parser still sets no status for bodies that can't be decompressed", async ({
    assert,
  }) => {
    const { code, status } = await errorByItself()
    assert.equal(code, 'Z_DATA_ERROR')
    assert.isUndefined(status)
  })

  test("a body that can't be decompressed, or is nested too deeply, is a client error", async ({
    assert,
  }) => {
    const garbled = Object.assign(new Error('incorrect header check'), { code: 'Z_DATA_ERROR' })
    for (const error of [garbled, new RangeError('Maximum call stack size exceeded')]) {
      const { status } = await readFailing(error)
      assert.equal(status, 400, error.message)
    }
  })

  test('other errors of the body parser are thrown unchanged', async ({ assert }) => {
    const error = new Error('ENOSPC')
    assert.strictEqual(await readFailing(error), error)
  })
})
