import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'

type State = Record<string, Record<string, string>>

/** What is left, with the reasons in docs/architecture.md */
const LEFT = {
  engine: ['server: boot'],
  clone: ['MigrationRunner.prototype: commit', 'MigrationRunner.prototype: executeMigration'],
}

const run = promisify(execFile)

/** The libraries of an application in a process of its own */
async function stateOf(kind: 'none' | 'engine' | 'clone'): Promise<State> {
  const program = [
    '--import=./scripts/loader.js',
    'packages/atrium/tests/helpers/global_state.ts',
    kind,
  ]
  const options = { cwd: app.makePath(), maxBuffer: 2 ** 26 }
  const { stdout } = await run(process.execPath, program, options)
  return JSON.parse(stdout) as State
}

function changes(before: State, after: State): string[] {
  return Object.entries(after).flatMap(([target, members]) => {
    const names = new Set([...Object.keys(before[target]), ...Object.keys(members)])
    return [...names]
      .filter((name) => before[target][name] !== members[name])
      .map((name) => `${target}: ${name}`)
  })
}

test.group('Effects on libraries of an application', (group) => {
  group.each.timeout(60_000)

  test('[K5.3] the engine changes only the listed prototypes, singletons and globals', async ({
    assert,
  }) => {
    const bare = await stateOf('none')
    const withEngine = await stateOf('engine')
    assert.includeMembers(Object.keys(bare), ['BaseModel.prototype', 'edge', 'settings', 'vine'])
    assert.sameMembers(changes(bare, withEngine), LEFT.engine)
    assert.sameMembers(changes(withEngine, await stateOf('clone')), LEFT.clone)
  })
})
