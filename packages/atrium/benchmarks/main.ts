/* npm run bench [NAME] [-- OPTIONS] */
import { BENCHMARKS, USAGE } from './benchmarks.js'

const args = process.argv.slice(2)
const name = args[0]?.startsWith('-') ? undefined : args.shift()

if (args.includes('--help')) {
  console.log(USAGE)
} else if (name !== undefined && !Object.hasOwn(BENCHMARKS, name)) {
  fail(`There is no benchmark "${name}"; there are ${Object.keys(BENCHMARKS).join(', ')}`)
} else {
  try {
    const run = await (name === undefined ? BENCHMARKS.reads : BENCHMARKS[name]).load()
    await run(args, name)
  } catch (error) {
    fail((error as Error).message)
  }
}

function fail(message: string) {
  console.error(message)
  process.exitCode = 1
}
