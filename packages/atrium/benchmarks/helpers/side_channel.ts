/*
 * Preloaded into a server: reports CPU time and memory of the process to the benchmark, outside
 * HTTP, and takes profiles. The server ends with its benchmark.
 */
import { Session } from 'node:inspector/promises'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/* Sampling interval in milliseconds, included in each measured delay */
const RESOLUTION = 10

let session: Session | undefined
let delays: ReturnType<typeof monitorEventLoopDelay> | undefined

process.on('message', async (message: { id: number; ask: keyof typeof RESPONSES }) => {
  process.send!({ id: message.id, answer: await RESPONSES[message.ask]() })
})
process.on('disconnect', () => process.exit())

const RESPONSES = {
  usage() {
    const { user, system } = process.cpuUsage()
    const { rss, heapUsed } = process.memoryUsage()
    return { cpu: user + system, rss, heapUsed }
  },

  /** Bytes of the heap after garbage collection */
  liveHeap() {
    setFlagsFromString('--expose-gc')
    const collect = runInNewContext('gc')
    collect()
    return process.memoryUsage().heapUsed
  },

  /** Milliseconds since the last call */
  eventLoopDelay() {
    delays ??= monitorEventLoopDelay({ resolution: RESOLUTION })
    const late = delays.percentile(99) / 1e6 - RESOLUTION
    delays.enable()
    delays.reset()
    return Math.max(late, 0)
  },

  async startProfile() {
    session = new Session()
    session.connect()
    await session.post('Profiler.enable')
    await session.post('Profiler.setSamplingInterval', { interval: 100 })
    await session.post('Profiler.start')
  },

  async stopProfile() {
    const { profile } = await session!.post('Profiler.stop')
    session!.disconnect()
    return profile
  },
}
