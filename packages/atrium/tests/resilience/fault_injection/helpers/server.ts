import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { freePort } from '#tests/helpers/free_port'
import { environment } from '../../../../benchmarks/helpers/application.js'

const ROOT = fileURLToPath(new URL('../../../../../../', import.meta.url))
const START_TIMEOUT = 60_000

/**
 * The application's server in a separate process, which can be killed and restarted on the same
 * port.
 */
export class Server {
  #child: ChildProcess | undefined
  /** Output of all starts */
  output = ''

  private constructor(
    readonly port: number,
    readonly variables: Record<string, string>
  ) {}

  /**
   * @param variables  environment variables, including those of the database
   * @returns a running server with a migrated database
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

  /** Current memory in bytes */
  get memory(): number {
    const status = readFileSync(`/proc/${this.pid}/status`, 'utf8')
    return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0) * 1024
  }

  /**
   * @throws Error  with its output, if it is not ready in time
   */
  async start(): Promise<void> {
    this.#child = this.#spawn(['packages/atrium/benchmarks/server.ts', '--prepare'])
    const child = this.#child
    const end = performance.now() + START_TIMEOUT
    while (!(await this.#isReady())) {
      if (child.exitCode !== null || performance.now() > end) {
        throw new Error(`The server did not start:\n${this.output.slice(-2000)}`)
      }
      await sleep(50)
    }
  }

  /** Kills it as the kernel does when memory runs out: nothing is finished. */
  async kill(): Promise<void> {
    const child = this.#child!
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGKILL')
    await once(child, 'exit')
  }

  /**
   * Stops it as an operator does.
   *
   * @returns its exit status, null if it had to be killed, and the milliseconds it took
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
   * @throws Error  with its output, if it fails
   */
  async ace(args: string[], input = ''): Promise<string> {
    const child = this.#spawn(['packages/atrium/benchmarks/ace.ts', ...args], 'pipe')
    let text = ''
    child.stdout!.on('data', (chunk) => (text += chunk))
    child.stderr!.on('data', (chunk) => (text += chunk))
    child.stdin!.end(input)
    const [status] = await once(child, 'close')
    if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}:\n${text}`)
    return text
  }

  #spawn(args: string[], stdin: 'ignore' | 'pipe' = 'ignore'): ChildProcess {
    const child = spawnScript(args, { ...this.variables, PORT: String(this.port) }, stdin)
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

/** Errors that servers have logged since the last call, each message once with its count. */
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

/**
 * Runs `node ace ...` without a server.
 *
 * @returns its exit status, null if a signal ended it, and its output
 */
export function aceProcess(variables: Record<string, string>, args: string[]) {
  return launchAce(variables, args).ended
}

/**
 * Starts `node ace ...` without a server, to be killed.
 *
 * @returns the process, and what `aceProcess` returns when it has ended
 */
export function launchAce(variables: Record<string, string>, args: string[]) {
  const child = spawnScript(['packages/atrium/benchmarks/ace.ts', ...args], {
    ...variables,
    PORT: '1',
  })
  let output = ''
  child.stdout!.on('data', (chunk) => (output += chunk))
  child.stderr!.on('data', (chunk) => (output += chunk))
  const ended = new Promise<{ status: number | null; output: string }>((resolve) =>
    child.once('close', (status) => resolve({ status, output }))
  )
  return { child, ended }
}

function spawnScript(
  args: string[],
  variables: Record<string, string>,
  stdin: 'ignore' | 'pipe' = 'ignore'
): ChildProcess {
  return spawn(process.execPath, ['--import=./scripts/loader.js', ...args], {
    cwd: ROOT,
    env: { ...process.env, ...environment({ LOG_LEVEL: 'error', ...variables }) },
    stdio: [stdin, 'pipe', 'pipe'],
  })
}
