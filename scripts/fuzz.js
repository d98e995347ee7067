/*
 * `npm run fuzz`: sends 50,000 requests of every kind to every route of an application of its own, on a
 * database file of its own. `npm run fuzz -- --seed=5 --runs=1000` repeats the requests of another run.
 */
import { parseArgs } from 'node:util'

const { seed, runs } = readArguments()
process.env.ATRIUM_FUZZ_RUNS = runs
process.env.ATRIUM_FUZZ_SEED = seed
process.argv.splice(2, Infinity, 'functional', '--files=attacks/fuzz')
await import('./test.js')

function readArguments() {
  try {
    const options = {
      seed: { type: 'string', default: '' },
      runs: { type: 'string', default: '50000' },
    }
    const { values } = parseArgs({ options })
    for (const [name, value] of Object.entries(values)) {
      if (!/^[1-9]\d{0,8}$/.test(value) && !(name === 'seed' && value === '')) {
        throw new Error(`--${name} is a whole number from 1 to 999999999, not '${value}'`)
      }
    }
    return values
  } catch (error) {
    console.error(error.message)
    process.exit(1)
  }
}
