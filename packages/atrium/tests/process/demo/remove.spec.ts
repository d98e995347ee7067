import { existsSync } from 'node:fs'
import { appendFile, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import ace from '@adonisjs/core/services/ace'
import { test } from '@japa/runner'
import { appIn } from '#tests/helpers/other_root'
import { ProjectCopy } from '#tests/helpers/project_copy'
import DemoRemove from '../../../../../commands/demo_remove.js'

const ENVIRONMENT = {
  NODE_ENV: 'test',
  APP_URL: 'http://localhost',
  APP_KEY: 'only-for-tests-0123456789abcdef0',
  DB_CONNECTION: 'sqlite',
  DB_DATABASE: 'tmp/demo.sqlite3',
}

const GIT = ['-c', 'user.name=jo', '-c', 'user.email=jo@example.org', '-c', 'commit.gpgsign=false']

/** Imports of demo files, as a regular expression for `grep -E` */
const IMPORTS = '#models/(film|product|distributor)|#database/data|seed_demo|demo_seeder'
const CALLS =
  '/api/(films|products|distributors)|admin/(Film|Product|Distributor)|functional.{1,2}demo'

test.group('demo:remove', (group) => {
  let copy: ProjectCopy

  group.each.timeout(240_000)
  group.each.setup(async () => {
    ace.ui.switchMode('raw')
    copy = await ProjectCopy.create()
    return async () => {
      ace.ui.switchMode('normal')
      await copy.remove()
    }
  })

  /** Runs the command in this process on the files of the copy. */
  async function refusal(...flags: string[]): Promise<string> {
    const command = await ace.create(DemoRemove, flags)
    command.app = appIn(copy.folder)
    await command.exec()
    command.assertExitCode(1)
    return command.logger
      .getLogs()
      .map(({ message }) => message)
      .join('\n')
  }

  async function commit() {
    const { status, output } = await copy.run('sh', [
      '-c',
      `git init -q && git add -A && git ${GIT.join(' ')} commit -qm all`,
    ])
    if (status !== 0) throw new Error(output)
  }

  test('[P12] demo:remove stops if it would remove uncommitted files or files of the application', async ({
    assert,
  }) => {
    const film = join(copy.folder, 'app/models/film.ts')
    assert.include(await refusal(), 'This is not a git repository')

    await commit()
    await appendFile(film, '/* changed */\n')
    assert.match(await refusal(), /Changed since the last commit.*: app\/models\/film\.ts\./)

    await copy.run('git', ['checkout', '-q', 'app/models/film.ts'])
    const own = join(copy.folder, 'app/models/ticket.ts')
    await writeFile(own, "import Film from '#models/film'\nexport const films = [Film]\n")
    assert.include(await refusal(), 'The demo is needed by app/models/ticket.ts: change that first')
    await writeFile(own, "import Film from './film.js'\nexport const films = [Film]\n")
    assert.include(await refusal(), 'The demo is needed by app/models/ticket.ts: change that first')

    /* Everything else is valid, including a model that only demo tests need; the confirmation
     * fails without a terminal. */
    await rm(own)
    assert.include(await refusal(), 'This is not a terminal')
    assert.isTrue(existsSync(film))
  })

  test('[P12] without the demo, migrations run and roll back, and no file mentions the demo', async ({
    assert,
  }) => {
    const run = async (what: string, ...args: string[]) => {
      const { status, output } = await copy.run(process.execPath, args, ENVIRONMENT)
      assert.equal(status, 0, `${what}: ${output}`)
      return output
    }
    await run('migrations', 'ace.js', 'migration:run', '--compact-output')
    const output = await run('command', 'ace.js', 'demo:remove', '--force', '--drop-tables')
    assert.match(output, /remove app\/models\/film\.ts/)
    assert.match(output, /drop table films/)
    const reset = await run('rollback', 'ace.js', 'migration:reset', '--compact-output')
    assert.match(reset, /Reverted \d+ migrations/)

    const mentions = await copy.run('sh', [
      '-c',
      `grep -rlE '${IMPORTS}' app bin config database start tests packages adonisrc.ts; ` +
        `grep -rlE '${CALLS}' --exclude-dir=resilience start bin scripts tests packages/atrium/tests adonisrc.ts; true`,
    ])
    assert.deepEqual(mentions, { status: 0, output: '' })
    const readme = await readFile(join(copy.folder, 'README.md'), 'utf8')
    assert.notMatch(readme, /demo:remove takes|localhost:3333\/api\/films\?title|<!-- /)

    await assert.doesNotReject(async () => {
      const command = await ace.create(DemoRemove, [])
      command.app = appIn(copy.folder)
      await command.exec()
      command.assertSucceeded()
    })
  })
})
