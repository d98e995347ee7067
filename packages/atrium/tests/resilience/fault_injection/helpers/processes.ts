import { setTimeout as sleep } from 'node:timers/promises'
import { launchAce, Server } from './server.js'

/* A killed process's jobs are handed over after 30 seconds. */
const TIMEOUT = 120_000

/** A server and a worker of its own, on the same queue */
export class Processes {
  #worker: ReturnType<typeof launchAce> | undefined

  private constructor(readonly server: Server) {}

  static async start(variables: Record<string, string>) {
    const processes = new Processes(await Server.start(variables))
    processes.#work()
    return processes
  }

  async again() {
    await this.server.start()
    this.#work()
  }

  /** Kills both at the same moment. */
  async kill() {
    this.#worker?.child.kill('SIGKILL')
    await Promise.all([this.server.kill(), this.#worker?.ended])
  }

  #work() {
    this.#worker = launchAce(this.server.variables, ['admin:work'])
  }
}

/** Waits until a condition holds or a timeout ends; the next check then reports the failure. */
export async function until(isSo: () => Promise<boolean>, timeout = TIMEOUT) {
  const end = performance.now() + timeout
  while (!(await isSo())) {
    if (performance.now() > end) return
    await sleep(20)
  }
}
