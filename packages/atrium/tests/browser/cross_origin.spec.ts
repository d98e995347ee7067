import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'
import type { CrudConfig } from '#crud/define_config'
import { Visit } from '#tests/helpers/browser'
import { urlOf } from '#tests/helpers/http'

const PATRONS = urlOf('/api/attacked-patrons')

test.group('A page of another origin', () => {
  test('[W1] a page of another origin can create, change and list records only if its origin is allowed', async ({
    assert,
    cleanup,
  }) => {
    const server = createServer((_, response) =>
      response.setHeader('content-type', 'text/html').end('<!doctype html><title>Shop</title>')
    ).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const config = app.config.get<CrudConfig>('crud')
    const visit = await Visit.begin()
    cleanup(() => {
      app.config.set('crud', config)
      server.close()
    })
    await visit.page.goto(origin)
    /* A PATCH and a JSON body both need a preflight. */
    const use = () =>
      visit.page.evaluate(async (patrons) => {
        const send = (method: string, address: string) =>
          fetch(address, {
            method,
            headers: { 'content-type': 'application/json', 'prefer': 'return=representation' },
            body: JSON.stringify({ name: `by ${method}` }),
          })
        try {
          const made = await send('POST', patrons)
          const { id } = (await made.json()) as { id: string }
          const changed = await send('PATCH', `${patrons}/${id}`)
          const missing = await fetch(`${patrons}/0`)
          const { name } = (await changed.json()) as { name: string }
          return {
            made: made.status,
            location: made.headers.get('location')?.replace(id, 'ID'),
            hasTag: changed.headers.has('etag'),
            hasId: changed.headers.has('x-request-id'),
            name,
            missing: missing.status,
          }
        } catch (error) {
          return (error as Error).name
        }
      }, PATRONS)

    app.config.set('crud', { ...config, cors: { origins: [origin], credentials: false } })
    assert.deepEqual(await use(), {
      made: 201,
      location: '/api/attacked-patrons/ID',
      hasTag: true,
      hasId: true,
      name: 'by PATCH',
      missing: 404,
    })
    app.config.set('crud', { ...config, cors: { origins: [], credentials: false } })
    /* The browser has cached the preflights above, but the page cannot read the responses. */
    assert.equal(await use(), 'TypeError')
  })
})
