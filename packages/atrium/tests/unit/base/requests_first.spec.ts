import { createServer, get, type Server, type ServerResponse } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { test } from '@japa/runner'
import { requestsFirst } from '#base/event_loop'

test.group('requestsFirst()', (group) => {
  let server: Server
  let responses: ServerResponse[]

  group.each.setup(async () => {
    responses = []
    server = createServer((_request, response) => void responses.push(response)).listen(0)
    await once(server, 'listening')
    return () => void server.closeAllConnections()
  })
  group.each.teardown(() => void server.close())

  const ask = () => {
    const request = get({ port: (server.address() as AddressInfo).port })
    request.on('error', () => {})
    return request
  }
  const arrived = async (count: number) => {
    while (responses.length < count) await new Promise((resolve) => setTimeout(resolve, 1))
  }

  test('[D6] background work waits until running requests have started their responses', async ({
    assert,
  }) => {
    await requestsFirst()
    ask()
    await arrived(1)
    const order: string[] = []
    const waiting = requestsFirst(60_000).then(() => order.push('work'))
    await setImmediate()
    order.push('answer')
    /* The rest may take a slow client long. */
    responses[0].write('begun')
    await waiting
    assert.deepEqual(order, ['answer', 'work'])
  })

  test('[D6] a disconnected client does not delay background work', async ({ assert }) => {
    await requestsFirst()
    const request = ask()
    await arrived(1)
    const closed = once(responses[0], 'close')
    request.destroy()
    await closed
    await requestsFirst(60_000)
    assert.isTrue(responses[0].destroyed)
  })

  test('[D6] background work continues after its time limit if a request gets no response', async ({
    assert,
  }) => {
    await requestsFirst()
    ask()
    await arrived(1)
    await requestsFirst(1)
    assert.isFalse(responses[0].headersSent)
  })
})
