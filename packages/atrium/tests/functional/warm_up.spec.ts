import type { AddressInfo } from 'node:net'
import emitter from '@adonisjs/core/services/emitter'
import server from '@adonisjs/core/services/server'
import { test } from '@japa/runner'
import { warmUp } from '#host/warm_up'
import { EndpointCreator, LucidCrud, resources } from '#crud'
import { crudConfig } from '#crud/settings'
import type { CrudOptions } from '#crud/decorator'
import { RouteItem } from '#tests/fixtures/routes'
import { freePort } from '#tests/helpers/free_port'

const address = () => server.getNodeServer()!.address() as AddressInfo

async function endpoints(options: CrudOptions = {}): Promise<EndpointCreator> {
  const Creator = (options.endpointCreator ?? EndpointCreator) as typeof EndpointCreator
  const creator = new Creator({ ...options, model: RouteItem })
  await creator.resource.load()
  return creator
}

class OwnCrud extends LucidCrud {}
class OwnEndpoints extends EndpointCreator {}

test.group('Requests that the server sends to itself after the start', (group) => {
  let responses: Array<[path: string, status: number]> = []
  let hosts: Array<string | null> = []

  group.each.setup(() => {
    responses = []
    hosts = []
    return emitter.on('http:request_completed', ({ ctx }) => {
      hosts.push(ctx.request.host())
      responses.push([ctx.request.url(), ctx.response.getStatus()])
    })
  })

  test('[A29] the server requests its own liveness probe and one item', async ({ assert }) => {
    const first = resources.endpoints().find(({ resource }) => resource.name === 'Utensil')!
    await warmUp(address(), [first, await endpoints()])
    assert.deepEqual(responses, [
      ['/health/live', 200],
      ['/api/utensils/0', 404],
    ])
    /* In production no other host is served. */
    assert.deepEqual(hosts, ['localhost:3333', 'localhost:3333'])
  })

  test('[A29] endpoints with application code or access control are not requested', async ({
    assert,
  }) => {
    const own: CrudOptions[] = [
      { policy: () => true },
      { scope: () => {} },
      { session: () => undefined as never },
      { access: 'token' },
      { crud: OwnCrud },
      { endpointCreator: OwnEndpoints },
      { middleware: { read: [] } },
      { deletedMethods: ['read'] },
    ]
    await warmUp(address(), await Promise.all(own.map((options) => endpoints(options))))
    assert.deepEqual(responses, [['/health/live', 200]])
  })

  test('[A29] if there is a rate limit, no item is requested', async ({ assert, cleanup }) => {
    const config = crudConfig()
    const { rateLimit } = config
    cleanup(() => void Object.assign(config, { rateLimit }))
    Object.assign(config, { rateLimit: { requests: 1, seconds: 60 } })
    await warmUp(address(), resources.endpoints())
    assert.deepEqual(responses, [['/health/live', 200]])
  })

  test('[A29] the server ignores errors of these requests, and stops sending them when the application stops', async ({
    assert,
  }) => {
    await warmUp({ ...address(), port: await freePort() }, resources.endpoints())
    assert.isEmpty(responses)
    await warmUp(address(), resources.endpoints(), () => true)
    await warmUp(address(), [new EndpointCreator({ model: RouteItem })])
    await warmUp(address(), [])
    assert.deepEqual(responses, Array(3).fill(['/health/live', 200]))
  })
})
