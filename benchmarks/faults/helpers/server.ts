import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { freePort } from '#tests/helpers/free_port'
import { environment } from '../../helpers/application.js'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const OPEN_ENDPOINTS = new URL('../../helpers/open_endpoints.ts', import.meta.url).href
const START_PATIENCE = 60_000

/**
 * The application's server in a process of its own, to be killed and started again on the same port.
 */
export class Server {
  #child: ChildProcess | undefined
  /** All that it wrote, of every start */
  output = ''

  private constructor(
    readonly port: number,
    readonly variables: Record<string, string>
  ) {}

  /**
   * @param variables  of the environment, those of the database above all
   * @returns a server that is ready; its database is migrated
   */
  static async start(variables: Record<string, string>): Promise<Server> {
    const server = new Server(await freePort(), variables)
    await server.start()
    return server
  }

  get origin(): string {
    return `http://127.0.0.1:${this.port}`
  }

  get pid(): number {
    return this.#child!.pid!
  }

  /** Bytes of memory that it has now */
  get memory(): number {
    const status = readFileSync(`/proc/${this.pid}/status`, 'utf8')
    return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0) * 1024
  }

  /**
   * @throws Error  with what it wrote, when it is not ready in time
   */
  async start(): Promise<void> {
    this.#child = this.#spawn(['bin/server.ts', '--prepare'])
    const child = this.#child
    const end = performance.now() + START_PATIENCE
    while (!(await this.#isReady())) {
      if (child.exitCode !== null || performance.now() > end) {
        throw new Error(`The server did not start:\n${this.output.slice(-2000)}`)
      }
      await sleep(50)
    }
  }

  /** As the kernel does it to whoever used up the memory: nothing is finished. */
  async kill(): Promise<void> {
    const child = this.#child!
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGKILL')
    await once(child, 'exit')
  }

  /**
   * Stops it as an operator does.
   *
   * @returns its status, null if it had to be killed, and how many milliseconds it took
   */
  async stop(): Promise<{ status: number | null; took: number }> {
    const child = this.#child!
    const begun = performance.now()
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGTERM')
      const timer = setTimeout(() => child.kill('SIGKILL'), 20_000)
      await once(child, 'exit')
      clearTimeout(timer)
    }
    return { status: child.exitCode, took: performance.now() - begun }
  }

  /**
   * Runs `node ace ...` on the same database.
   *
   * @throws Error  with what it wrote, when it fails
   */
  async ace(args: string[], input = ''): Promise<string> {
    const child = this.#spawn(['ace.js', ...args], 'pipe')
    let text = ''
    child.stdout!.on('data', (chunk) => (text += chunk))
    child.stderr!.on('data', (chunk) => (text += chunk))
    child.stdin!.end(input)
    const [status] = await once(child, 'close')
    if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}:\n${text}`)
    return text
  }

  #spawn(args: string[], stdin: 'ignore' | 'pipe' = 'ignore'): ChildProcess {
    const isAce = args[0] === 'ace.js'
    const child = spawn(
      process.execPath,
      [...(isAce ? [] : ['--import=@poppinss/ts-exec', `--import=${OPEN_ENDPOINTS}`]), ...args],
      {
        cwd: ROOT,
        env: {
          ...process.env,
          ...environment({ LOG_LEVEL: 'error', ...this.variables, PORT: String(this.port) }),
        },
        stdio: [stdin, 'pipe', 'pipe'],
      }
    )
    for (const stream of [child.stdout!, child.stderr!]) {
      stream.on('data', (chunk) => (this.output += chunk))
    }
    LOGS.add(this)
    return child
  }

  async #isReady(): Promise<boolean> {
    try {
      const { ok } = await fetch(`${this.origin}/health/ready`)
      return ok
    } catch {
      return false
    }
  }
}

const LOGS = new Set<Server>()

/**
 * What servers have logged as errors since this was last asked, each message once, with how often.
 */
export function loggedErrors(): string[] {
  const counts = new Map<string, number>()
  for (const { output } of LOGS) {
    for (const line of output.split('\n')) {
      const { msg, err } = readLine(line)
      if (msg === undefined) continue
      const text = `${err?.type ?? ''} ${err?.code ?? ''} ${msg} ${err?.stack ?? ''}`.slice(0, 1200)
      counts.set(text, (counts.get(text) ?? 0) + 1)
    }
  }
  LOGS.clear()
  return [...counts].map(([text, count]) => `${count} x ${text}`)
}

function readLine(line: string): { msg?: string; err?: Record<string, string> } {
  try {
    return JSON.parse(line)
  } catch {
    return {}
  }
}

/** Environment of a command that is run beside any server: `Server.start` without one. */
export function aceProcess(variables: Record<string, string>, args: string[]) {
  const child = spawn(process.execPath, ['ace.js', ...args], {
    cwd: ROOT,
    env: { ...process.env, ...environment({ LOG_LEVEL: 'error', ...variables, PORT: '1' }) },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  child.stdout!.on('data', (chunk) => (output += chunk))
  child.stderr!.on('data', (chunk) => (output += chunk))
  return new Promise<{ status: number | null; output: string }>((resolve) =>
    child.once('close', (status) => resolve({ status, output }))
  )
}
