import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import type { Profiler } from 'node:inspector'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { freePort } from '#tests/helpers/free_port'
import { environment } from './application.js'

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url))
const SIDE_CHANNEL = new URL('./side_channel.ts', import.meta.url).href
const TIMEOUT = 60_000

/* Milliseconds after which a server loads its other modules, and processor time in microseconds of an idle one */
const IDLE = { after: 4000, cpu: 20_000, milliseconds: 1000 }

export interface Usage {
  /** CPU microseconds since the start of the process, user and system */
  cpu: number
  /** Resident memory in bytes */
  rss: number
  heapUsed: number
}

/** A server in a separate process that reports its resource usage. */
export class ServerProcess {
  #requested = 0
  #output = ''

  private constructor(
    readonly name: string,
    readonly origin: string,
    private readonly child: ChildProcess
  ) {
    for (const stream of [child.stdout!, child.stderr!]) {
      stream.on('data', (chunk) => (this.#output = (this.#output + chunk).slice(-4000)))
    }
  }

  /**
   * Starts a script and waits for any response at the path.
   *
   * @param script  relative to the project
   * @throws Error  with the end of its output, if it does not respond
   */
  static async start(
    name: string,
    script: string,
    { path, variables }: { path: string; variables: Record<string, string> }
  ): Promise<ServerProcess> {
    const PORT = String(await freePort())
    const child = fork(script, [], {
      cwd: ROOT,
      env: { ...process.env, ...environment({ ...variables, PORT }) },
      execArgv: ['--import=./scripts/loader.js', `--import=${SIDE_CHANNEL}`],
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    })
    const server = new ServerProcess(name, `http://127.0.0.1:${PORT}`, child)
    await server.#untilItResponses(path)
    return server
  }

  async usage(): Promise<Usage> {
    return (await this.#ask('usage')) as Usage
  }

  /** Waits until the server has loaded what it loads after the start. */
  async untilIdle(): Promise<void> {
    await sleep(IDLE.after)
    const end = Date.now() + TIMEOUT
    for (let before = await this.usage(); Date.now() < end;) {
      await sleep(IDLE.milliseconds)
      const now = await this.usage()
      if (now.cpu - before.cpu < IDLE.cpu) return
      before = now
    }
  }

  /**
   * @returns bytes of the heap after garbage collection
   */
  async liveHeap(): Promise<number> {
    return (await this.#ask('liveHeap')) as number
  }

  /**
   * @returns 99th percentile of the event loop delay in milliseconds, since the last call
   */
  async eventLoopDelay(): Promise<number> {
    return (await this.#ask('eventLoopDelay')) as number
  }

  async startProfile(): Promise<void> {
    await this.#ask('startProfile')
  }

  async stopProfile(): Promise<Profiler.Profile> {
    return (await this.#ask('stopProfile')) as Profiler.Profile
  }

  async stop(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return
    this.child.kill('SIGKILL')
    await once(this.child, 'exit')
  }

  async #ask(what: string): Promise<unknown> {
    const id = ++this.#requested
    this.child.send({ id, ask: what })
    for (;;) {
      const [message] = await once(this.child, 'message')
      if (message.id === id) return message.answer
    }
  }

  async #untilItResponses(path: string): Promise<void> {
    const end = Date.now() + TIMEOUT
    while (Date.now() < end && this.child.exitCode === null) {
      const response = await fetch(this.origin + path).catch(() => undefined)
      if (response) return void (await response.arrayBuffer())
      await sleep(50)
    }
    await this.stop()
    throw new Error(`The server "${this.name}" did not start:\n${this.#output}`)
  }
}
