import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'
import { AnswerRoom, answerLimits, bytesInFlight } from '#crud/http/answer_room'
import { type Problem } from '#crud'

const LIMITS = { text: 100, answer: 1000, answers: 1500 }

async function problemOf(work: Promise<unknown>): Promise<Problem> {
  try {
    await work
  } catch (error) {
    return error as Problem
  }
  throw new Error('There was none')
}

test.group('AnswerRoom', (group) => {
  group.each.setup(() => {
    const config = app.config.get<object>('crud')
    app.config.set('crud', { ...config, limits: LIMITS })
    return () => app.config.set('crud', config)
  })

  test('[A29] an answer that would be larger than any may be is a 413 that says what to do', async ({
    assert,
    cleanup,
  }) => {
    const room = new AnswerRoom()
    cleanup(() => room.release())
    await room.take(600)
    const problem = await problemOf(room.take(401))
    assert.equal(problem.status, 413)
    for (const name of ['limit', 'itemsPerPage', 'fields']) assert.include(problem.message, name)
    await room.take(400)
    assert.equal(room.taken, 1000)
  })

  test('[A29] all answers together never have more than a quarter of the heap', ({ assert }) => {
    assert.deepEqual(answerLimits(1_000_000), { answer: 1000, answers: 1500 })
    assert.deepEqual(answerLimits(4800), { answer: 1000, answers: 1200 })
    assert.deepEqual(answerLimits(2000), { answer: 500, answers: 500 })
  })

  test('[A29] an answer waits until there is room for it, the first one first', async ({
    assert,
  }) => {
    const [first, second, third] = [new AnswerRoom(), new AnswerRoom(), new AnswerRoom()]
    const order: string[] = []
    await first.take(1000)
    const waiting = [
      second.take(1000).then(() => order.push('second')),
      third.take(501).then(() => order.push('third')),
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

  test('[A29] who waits for too long, or with too many others, gets 503', async ({ assert }) => {
    const first = new AnswerRoom()
    await first.take(1000)
    const begun = performance.now()
    const many = Array.from({ length: 60 }, () => problemOf(new AnswerRoom().take(600)))
    const soon = await Promise.race(many)
    assert.isBelow(performance.now() - begun, 1000)
    assert.equal(soon.status, 503)
    assert.property(soon.headers, 'retry-after')
    for (const { status } of await Promise.all(many)) assert.equal(status, 503)
    first.release()
    assert.equal(bytesInFlight(), 0)
  }).timeout(10_000)

  test('one list after the other takes what the largest of them does', async ({ assert }) => {
    const room = new AnswerRoom()
    for (const bytes of [400, 900, 500]) await room.forList((list) => list.take(bytes))
    assert.equal(room.taken, 900)
    assert.equal(bytesInFlight(), 900)
    await problemOf(room.forList((list) => list.take(2000)))
    assert.equal(bytesInFlight(), 900)
    room.release()
    assert.equal(bytesInFlight(), 0)
  })
})
