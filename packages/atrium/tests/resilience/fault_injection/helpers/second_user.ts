import { setTimeout as sleep } from 'node:timers/promises'
import { signIn, type Call } from './client.js'
import type { Server } from './server.js'
import { signInAs } from './users.js'

/** Milliseconds that a write of another user may wait, in addition to the noise of the machine */
export const MOST_WAIT = 1000
/** A read may take so many times as long as without a job, and so many milliseconds */
export const MOST_TIMES = 2
const LEAST_READ = 40
/** Rounds of reads without a job */
const ROUNDS = 30
/** Products that the second user changes, the first ones */
export const OWN = 60

const READ = [
  '/admin/Product/?page=2',
  '/admin/Product/update/7',
  '/admin/AdminUser/',
  '/admin/management/jobs',
  '/api/products?limit=20',
]

class Times {
  readonly reads: number[] = []
  readonly writes: number[] = []
  readonly logins: number[] = []
  readonly errors = new Set<string>()

  /** Median, 95 % and maximum of each, in milliseconds */
  get figures(): string {
    const { logins, reads, writes } = this
    return `reads ${told(reads)} ms, writes ${told(writes)} ms, logins ${told(logins)} ms`
  }
}

/** A user who reads all the time, saves twice a second and logs in now and then, next to the job of another user. */
export class SecondUser {
  readonly #alone = new Times()

  private constructor(
    private readonly server: Server,
    private readonly call: Call,
    private readonly cookie: string
  ) {}

  /** Creates the user and their products, and measures their reads without a job. */
  static async create(server: Server, call: Call): Promise<SecondUser> {
    const user = new SecondUser(server, call, await signInAs(server, 'kim'))
    /* Another one, as many logins of the reader would end the session that reads. */
    await signInAs(server, 'lou')
    for (let index = 0; index < OWN; index++) {
      const product = { name: `Own ${index}`, description: '-', category: 'Own', price: 1 }
      await call('POST', '/api/products', product)
    }
    for (let round = 0; round < ROUNDS; round++) await user.#readAll(user.#alone)
    return user
  }

  get figures(): string {
    return `reads ${told(this.#alone.reads)} ms without`
  }

  /** Works during a job, and returns how long it took, and which promises were broken. */
  async workDuring(
    name: string,
    job: () => Promise<unknown>
  ): Promise<{ figures: string; broken: string[] }> {
    const times = new Times()
    let isOver = false
    const work = this.#workUntil(() => isOver, times)
    const begun = performance.now()
    await job().finally(() => (isOver = true))
    const seconds = (performance.now() - begun) / 1000
    await work
    return {
      figures: `${name} in ${seconds.toFixed(0)} s: ${times.figures}`,
      broken: this.#errorsOf(times).map((one) => `${name}: ${one}`),
    }
  }

  async #readAll({ reads, errors }: Times) {
    const { cookie } = this
    for (const path of READ) {
      const headers = { cookie, accept: 'text/html' }
      const { status, took } = await this.call('GET', path, undefined, headers)
      reads.push(took)
      if (status !== 200) errors.add(`GET ${path} was answered with ${status}`)
    }
  }

  async #workUntil(isOver: () => boolean, all: Times) {
    const reading = async () => {
      while (!isOver()) {
        await this.#readAll(all)
        await sleep(100)
      }
    }
    const writing = async () => {
      for (let index = 0; !isOver(); index++) {
        const path = `/api/products/${(index % 50) + 1}`
        const { status, took } = await this.call('PATCH', path, { price: index })
        all.writes.push(took)
        if (status >= 300) all.errors.add(`PATCH was answered with ${status}`)
        await sleep(400)
      }
    }
    const loggingIn = async () => {
      while (!isOver()) {
        const begun = performance.now()
        const login = signIn(this.server.origin, 'lou', 'correct horse')
        await login.catch((error) => all.errors.add(String(error)))
        all.logins.push(performance.now() - begun)
        await sleep(3000)
      }
    }
    await Promise.all([reading(), writing(), loggingIn()])
  }

  #errorsOf({ errors, reads, writes }: Times): string[] {
    const broken = [...errors]
    const [usual, now] = [quantileOf(this.#alone.reads, 0.5), quantileOf(reads, 0.5)]
    if (now > Math.max(MOST_TIMES * usual, LEAST_READ)) {
      broken.push(`reads took ${now.toFixed(0)} ms (median), without a job ${usual.toFixed(0)} ms`)
    }
    const longest = Math.max(0, ...writes)
    if (longest > MOST_WAIT) broken.push(`a write waited ${longest.toFixed(0)} ms`)
    return broken
  }
}

function quantileOf(all: readonly number[], part: number): number {
  return all.toSorted((one, other) => one - other)[Math.floor(all.length * part)] ?? 0
}

function told(all: readonly number[]): string {
  const parts = [quantileOf(all, 0.5), quantileOf(all, 0.95), Math.max(0, ...all)]
  return parts.map((one) => one.toFixed(0)).join('/')
}
