import { randomInt } from 'node:crypto'
import { test } from '@japa/runner'
import fc from 'fast-check'
import { TokenAuthorizer } from '#admin/authentication/access_tokens/api_guard'
import { useTokenAuthorizer } from '#crud'
import { fakeHashes } from '#tests/helpers/admin'
import { FuzzState } from '#tests/helpers/fuzz/state'
import { requests } from '#tests/helpers/fuzz/requests'
import { judge, send } from '#tests/helpers/fuzz/verdict'
import { runs } from '#tests/helpers/random_runs'

/* Set by `npm run fuzz`. */
const RUNS = Number(process.env.ATRIUM_FUZZ_RUNS || runs(2000))
const SEED = Number(process.env.ATRIUM_FUZZ_SEED || randomInt(1, 1_000_000_000))

const SAFE = ['GET', 'HEAD', 'OPTIONS']

test.group('Attacks | fuzz', (group) => {
  group.setup(async () => {
    const before = useTokenAuthorizer(new TokenAuthorizer())
    const restore = await fakeHashes()
    return () => {
      restore()
      useTokenAuthorizer(before)
    }
  })

  test('[A4, A29] random requests cause no internal error and disclose no secrets, and refused ones change nothing', async ({
    assert,
    cleanup,
  }) => {
    const state = new FuzzState()
    cleanup(await state.begin())
    const counts = new Map<string, number>()
    let sent = 0

    const holds = fc.asyncProperty(requests(Object.keys(state.callers)), async (request) => {
      if (++sent % 50 === 0) await state.forgetFailures()
      const response = await send(request, state.callers[request.caller])
      const kind = `${response.status}`
      counts.set(kind, (counts.get(kind) ?? 0) + 1)
      try {
        judge(request, response)
        /* A link may end the session. */
        const isSafe = SAFE.includes(request.method)
        if (isSafe || response.status >= 400) await state.ensureUnchanged()
        if (response.status < 400 && (!isSafe || /logout/i.test(request.path))) await state.reset()
      } catch (error) {
        await state.reset()
        throw error
      }
    })
    const result = await fc.check(holds, { numRuns: RUNS, seed: SEED })
    const statuses = [...counts].sort().map(([status, count]) => `${status}: ${count}`)
    console.log(`fuzz: ${result.numRuns} requests, seed ${SEED}; ${statuses.join(', ')}`)
    if (result.failed) {
      const [request] = result.counterexample ?? []
      const { message } = result.errorInstance as Error
      assert.fail(
        `seed ${SEED}, after ${result.numRuns} requests and ${result.numShrinks} times simpler:\n${JSON.stringify(request, null, 2)}\n${message}`
      )
    }
  }).timeout(Math.max(120_000, RUNS * 60))
})
