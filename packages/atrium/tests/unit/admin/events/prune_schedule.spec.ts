import logger from '@adonisjs/core/services/logger'
import { test } from '@japa/runner'
import { PruneSchedule } from '#admin/events/prune_schedule'

function times(count: number) {
  let called = 0
  let tell = () => {}
  const enough = new Promise<void>((resolve) => (tell = resolve))
  const prune = async () => {
    if (++called >= count) tell()
    if (called === 1) throw new Error('locked')
    return 1
  }
  return { prune, enough, called: () => called }
}

test.group('Pruning schedule', () => {
  test('[E2] pruning is repeated, and a failure is reported without stopping it', async ({
    assert,
    cleanup,
  }) => {
    const errors: Error[] = []
    logger.error = ((bindings: { err: Error }) => void errors.push(bindings.err)) as never
    cleanup(() => void delete (logger as Partial<typeof logger>).error)
    const { prune, enough } = times(3)
    const schedule = new PruneSchedule(prune, { interval: 1 })
    cleanup(() => schedule.stop())
    schedule.start()
    /* The schedule's timer alone does not keep the process alive. */
    const alive = setInterval(() => {}, 1000)
    cleanup(() => clearInterval(alive))
    await enough
    assert.deepEqual(
      errors.map(({ message }) => message),
      ['locked']
    )
  })

  test('[E2] a stopped schedule no longer prunes', async ({ assert }) => {
    const { prune, called } = times(1)
    const schedule = new PruneSchedule(prune, { interval: 1 })
    schedule.start()
    schedule.stop()
    await new Promise((resolve) => setTimeout(resolve, 10))
    assert.equal(called(), 0)
  })
})
