import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'
import { ResponseBudget, responseLimits, bytesInFlight } from '#crud/http/response_budget'
import { type Problem } from '#crud'

const LIMITS = { text: 100, response: 1000, responses: 1500 }

async function problemOf(work: Promise<unknown>): Promise<Problem> {
  try {
    await work
  } catch (error) {
    return error as Problem
  }
  throw new Error('There was none')
}

test.group('ResponseBudget', (group) => {
  group.each.setup(() => {
    const config = app.config.get<object>('crud')
    app.config.set('crud', { ...config, limits: LIMITS })
    return () => app.config.set('crud', config)
  })

  test('[A29] a response over the limit is a 413 with instructions', async ({
    assert,
    cleanup,
  }) => {
    const room = new ResponseBudget()
    cleanup(() => room.release())
    await room.reserve(600)
    const problem = await problemOf(room.reserve(401))
    assert.equal(problem.status, 413)
    for (const name of ['limit', 'itemsPerPage', 'fields']) assert.include(problem.message, name)
    await room.reserve(400)
    assert.equal(room.reserved, 1000)
  })

  test('[A29] all responses together use at most a quarter of the heap', ({ assert }) => {
    assert.deepEqual(responseLimits(1_000_000), { response: 1000, responses: 1500 })
    assert.deepEqual(responseLimits(4800), { response: 1000, responses: 1200 })
    assert.deepEqual(responseLimits(2000), { response: 500, responses: 500 })
  })

  test('[A29] a response waits until budget is free, in the order of arrival', async ({
    assert,
  }) => {
    const [first, second, third] = [
      new ResponseBudget(),
      new ResponseBudget(),
      new ResponseBudget(),
    ]
    const order: string[] = []
    await first.reserve(1000)
    const waiting = [
      second.reserve(1000).then(() => order.push('second')),
      third.reserve(501).then(() => order.push('third')),
    ]
    await new Promise((resolve) => setTimeout(resolve, 20))
    assert.deepEqual(order, [])
    first.release()
    await waiting[0]
    assert.deepEqual(order, ['second'])
    second.release()
    await waiting[1]
    assert.equal(bytesInFlight(), 501)
    third.release()
    assert.equal(bytesInFlight(), 0)
  })

  test('[A29] a response that waits too long, or with too many others, is a 503', async ({
    assert,
  }) => {
    const first = new ResponseBudget()
    await first.reserve(1000)
    const begun = performance.now()
    const many = Array.from({ length: 60 }, () => problemOf(new ResponseBudget().reserve(600)))
    const soon = await Promise.race(many)
    assert.isBelow(performance.now() - begun, 1000)
    assert.equal(soon.status, 503)
    assert.property(soon.headers, 'retry-after')
    for (const { status } of await Promise.all(many)) assert.equal(status, 503)
    first.release()
    assert.equal(bytesInFlight(), 0)
  }).timeout(10_000)

  test('several lists in one response reserve only the size of the largest', async ({ assert }) => {
    const room = new ResponseBudget()
    for (const bytes of [400, 900, 500]) await room.forList((list) => list.reserve(bytes))
    assert.equal(room.reserved, 900)
    assert.equal(bytesInFlight(), 900)
    await problemOf(room.forList((list) => list.reserve(2000)))
    assert.equal(bytesInFlight(), 900)
    room.release()
    assert.equal(bytesInFlight(), 0)
  })
})
