import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import BodyParserMiddleware from '@adonisjs/core/bodyparser_middleware'
import { HttpContextFactory, RequestFactory } from '@adonisjs/core/factories/http'
import type { HttpContext } from '@adonisjs/core/http'
import app from '@adonisjs/core/services/app'
import type { BodyParserConfig } from '@adonisjs/core/types/bodyparser'
import { test } from '@japa/runner'
import { readWithoutTrees } from '#upstream/body_parser'

/** Parses a form with plain and nested names. */
async function readForm(
  read: (ctx: HttpContext, parse: () => Promise<void>) => Promise<void>
): Promise<{ fields: string[]; files: string[] }> {
  const parser = new BodyParserMiddleware(app.config.get<BodyParserConfig>('bodyparser'))
  const names = Promise.withResolvers<{ fields: string[]; files: string[] }>()
  const handle = async (req: IncomingMessage, res: ServerResponse) => {
    const request = new RequestFactory().merge({ req, res, method: 'POST' }).create()
    const ctx = new HttpContextFactory().merge({ request }).create()
    await read(ctx, async () => void (await parser.handle(ctx, async () => {})))
    const files = Object.keys(request.allFiles())
    return {
      fields: Object.keys(request.all()).filter((name) => !files.includes(name)),
      files,
    }
  }
  const server = createServer((req, res) => {
    names.resolve(handle(req, res).finally(() => res.end()))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const form = new FormData()
  form.append('name', 'Ann')
  form.append('tags[]', 'one')
  form.append('a[b][c]', 'deep')
  form.append('items.0.quantity', '2')
  form.append('items.__more', '1')
  form.append('items.0.deep.er', '2')
  form.append('items.x.quantity', '2')
  form.append('picture', new File(['x'], 'x.png'))
  form.append('d[e]', new File(['y'], 'y.png'))
  const { port } = server.address() as AddressInfo
  const responded = fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: form })
  try {
    return await names.promise
  } finally {
    await responded
    server.close()
  }
}

test.group('Names of multipart fields', () => {
  test('the parser of AdonisJS by itself still turns names into nested objects', async ({
    assert,
  }) => {
    const { fields, files } = await readForm((_ctx, parse) => parse())
    assert.include(fields, 'a')
    assert.include(files, 'd')
  })

  test('[R2] fields and files with nested names are ignored, except those of rows', async ({
    assert,
  }) => {
    const { fields, files } = await readForm((ctx, parse) => readWithoutTrees(ctx.request, parse))
    assert.deepEqual(fields, ['name', 'tags', 'items.0.quantity', 'items.__more'])
    assert.deepEqual(files, ['picture'])
  })
})
