import { randomBytes, scrypt } from 'node:crypto'
import { promisify } from 'node:util'
import { HashManager } from '@adonisjs/core/hash'
import { Scrypt } from '@adonisjs/core/hash/drivers/scrypt'
import app from '@adonisjs/core/services/app'

/* Minimum of OWASP. Computing or comparing a hash needs 128 MB and almost half a second. */
const COST = 2 ** 17

/* Lower costs, because tests compute hundreds of hashes. */
const COST_IN_TESTS = 2 ** 10

/* More memory than a hash needs; otherwise Node.js would refuse to compare a hash with higher costs */
const MEMORY = 2 ** 30

function hashWithScrypt(cost: number): Scrypt {
  return new Scrypt({ cost, blockSize: 8, parallelization: 1, maxMemory: MEMORY })
}

/** Hasher for passwords of admin users, independent of the application's `config/hash.ts`. */
export const passwordHash = new HashManager({
  default: 'usual',
  list: {
    usual: () => hashWithScrypt(app.inTest ? COST_IN_TESTS : COST),
    scrypt: () => hashWithScrypt(COST),
  },
})

/** Cost parameters of a scrypt hash, as encoded in the hash. */
interface ScryptCosts {
  /** Number of rounds, a power of two */
  cost: number
  blockSize: number
  parallelization: number
}

const run = promisify<string, Buffer, number, object, Buffer>(scrypt)

/**
 * @returns undefined for a hash of another algorithm
 */
function costsOf(hashed: string): ScryptCosts | undefined {
  const match = /^\$scrypt\$n=(\d+),r=(\d+),p=(\d+)\$/.exec(hashed)
  if (!match) return undefined
  const [cost, blockSize, parallelization] = match.slice(1).map(Number)
  return { cost, blockSize, parallelization }
}

/** Returns true if a hash has lower costs than another hash. */
export function isWeaker(hashed: string, than: string): boolean {
  const [costs, wanted] = [costsOf(hashed), costsOf(than)]
  return costs !== undefined && wanted !== undefined && workOf(costs) < workOf(wanted)
}

/**
 * Returns the costs of the additional hashes that make the comparison of a weak hash take as long as that of a
 * stronger one. Costs are powers of two. Example: after a hash with cost n, hashes with the costs n, 2n and 4n
 * follow, which is 8n in total.
 */
export function restOf(hashed: string, than: string): ScryptCosts[] {
  const [costs, wanted] = [costsOf(hashed), costsOf(than)]
  const rest: ScryptCosts[] = []
  if (!costs || !wanted) return rest
  for (let next = costs; 2 * workOf(next) <= workOf(wanted); next = twice(next)) rest.push(next)
  return rest
}

/**
 * Computes the additional hashes, because a faster response for a weak hash would reveal that the user exists.
 */
export async function computeRest(hashed: string, than: string, password: string): Promise<void> {
  const salt = randomBytes(16)
  for (const { cost, blockSize, parallelization } of restOf(hashed, than)) {
    const maxmem = 128 * blockSize * (cost + parallelization + 2) + 1
    await run(password, salt, 64, { cost, blockSize, parallelization, maxmem })
  }
}

function twice(costs: ScryptCosts): ScryptCosts {
  return { ...costs, cost: 2 * costs.cost }
}

function workOf({ cost, blockSize, parallelization }: ScryptCosts): number {
  return cost * blockSize * parallelization
}
