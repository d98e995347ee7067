import { test } from '@japa/runner'
import { WorkQueue } from '#admin/authentication/login/work_queue'
import { QueueFull } from '#admin/authentication/login/work_queue'

/** Work that lasts until it is ended. */
function work() {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  return { do: () => promise, end: resolve, fail: reject }
}

const settled = () => new Promise((resolve) => setImmediate(resolve))

test.group('WorkQueue', () => {
  test('[B8] a limited number of tasks runs concurrently, and the others wait in order', async ({
    assert,
  }) => {
    const queue = new WorkQueue(2, 3)
    const jobs = Array.from({ length: 5 }, () => work())
    const begun: number[] = []
    const results = jobs.map((job, i) =>
      queue.run(() => {
        begun.push(i)
        return job.do()
      })
    )
    await settled()
    assert.deepEqual(begun, [0, 1])

    jobs[1].end('second')
    assert.equal(await results[1], 'second')
    await settled()
    assert.deepEqual(begun, [0, 1, 2])

    for (const job of jobs) job.end('done')
    await Promise.all(results)
    assert.deepEqual(begun, [0, 1, 2, 3, 4])
  })

  test('[B8] a task that finds the queue full is refused immediately', async ({ assert }) => {
    const queue = new WorkQueue(1, 2)
    const job = work()
    const held = Array.from({ length: 3 }, () => queue.run(job.do))
    await assert.rejects(() => queue.run(job.do), QueueFull as any)
    job.end('done')
    assert.deepEqual(await Promise.all(held), ['done', 'done', 'done'])
    assert.equal(await queue.run(async () => 'later'), 'later')
  })

  test('[B8] a failed task frees its slot, and the next waiting task runs', async ({ assert }) => {
    const queue = new WorkQueue(1, 1)
    for (let i = 0; i < 3; i++) {
      const job = work()
      const failing = queue.run(job.do)
      const waiting = queue.run(async () => 'waited')
      job.fail(new Error('broken'))
      await assert.rejects(() => failing, 'broken')
      assert.equal(await waiting, 'waited')
    }
  })
})
