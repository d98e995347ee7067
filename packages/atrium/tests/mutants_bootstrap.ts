/*
 * Setup of the tests for scripts/mutate.js: each mutant is a suite with the same files. V8 replaces the functions of the
 * module while it is loaded, so that one process can try many mutants.
 */
import { appendFileSync, readFileSync } from 'node:fs'
import { Session } from 'node:inspector'
import { pathToFileURL } from 'node:url'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { Suite } from '@japa/core'
import type { Config } from '@japa/runner/types'

export { plugins, runnerHooks } from '#tests/bootstrap'

interface Plan {
  file: string
  /** The module without a change */
  code: string
  specs: string[]
  /** Suites in their order; `code` of a mutant replaces that of the module */
  suites: Array<{ name: string; code?: string }>
  /** File to which a line is added for each suite */
  results: string
}

const plan = JSON.parse(readFileSync(process.env.ATRIUM_MUTANTS!, 'utf8')) as Plan
setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void
const url = pathToFileURL(plan.file).href
const session = new Session()
const scripts = new Map<string, string>()

export const suites = plan.suites.map(({ name }) => ({
  name,
  /* The query makes them modules of their own, whose tests run once. */
  files: () => plan.specs.map((spec) => new URL(`?${name}`, pathToFileURL(spec))),
  directories: [],
  timeout: 30_000,
}))

export const configureSuite: Config['configureSuite'] = (suite) => {
  const { code } = plan.suites.find(({ name }) => name === suite.name)!
  if (code === undefined) return
  ;(suite as Suite<any>).setup(async () => {
    await import(url)
    const status = replaceCode(code)
    if (status !== 'Ok') throw new Error(`V8 cannot replace the code: ${status}`)
    return () => void replaceCode(plan.code)
  })
}

export const reporters: Config['reporters'] = {
  activated: ['mutants'],
  list: [
    {
      name: 'mutants',
      handler: (_runner, emitter) => {
        emitter.on('suite:end', ({ name, hasError, errors }) => {
          const result = errors.length > 0 ? 'unknown' : hasError ? 'failed' : 'passed'
          appendFileSync(plan.results, `${name} ${result}\n`)
        })
      },
    },
  ],
}

function replaceCode(code: string): string {
  /* V8 replaces no function of which a call is suspended, not even one that nothing can continue. */
  collectGarbage()
  if (scripts.size === 0) {
    session.connect()
    session.on('Debugger.scriptParsed', ({ params }) => scripts.set(params.url, params.scriptId))
    session.post('Debugger.enable')
  }
  let status = 'no result'
  session.post(
    'Debugger.setScriptSource',
    { scriptId: scripts.get(url)!, scriptSource: code },
    (error, result: any) => (status = error?.message ?? result.status)
  )
  return status
}
