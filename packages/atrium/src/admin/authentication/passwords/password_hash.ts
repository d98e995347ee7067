import { HashManager } from '@adonisjs/core/hash'
import { Scrypt } from '@adonisjs/core/hash/drivers/scrypt'
import app from '@adonisjs/core/services/app'

/* OWASP's minimum. Each hash takes 128 MB while it is computed or compared, for almost half a second. */
const COST = 2 ** 17

/* Tests compute hundreds. */
const COST_IN_TESTS = 2 ** 10

/* More than a hash needs, or Node.js would refuse to compare one with higher costs */
const MEMORY = 2 ** 30

function scrypt(cost: number): Scrypt {
  return new Scrypt({ cost, blockSize: 8, parallelization: 1, maxMemory: MEMORY })
}

/**
 * The hasher of passwords of admin users, whatever `config/hash.ts` of the application says. [B11]
 */
export const passwordHash = new HashManager({
  default: 'usual',
  list: {
    usual: () => scrypt(app.inTest ? COST_IN_TESTS : COST),
    scrypt: () => scrypt(COST),
  },
})
