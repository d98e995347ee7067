import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { test } from '@japa/runner'
import app from '@adonisjs/core/services/app'

test.group('SQLite driver in a fresh clone', () => {
  test('[K8] a new .env selects a SQLite driver that has a binary, and the start reports which', async ({
    assert,
    cleanup,
  }) => {
    const folder = await mkdtemp(join(tmpdir(), 'driver-'))
    cleanup(() => rm(folder, { recursive: true }))
    await cp(app.makePath('scripts'), join(folder, 'scripts'), {
      recursive: true,
      filter: (path) => !path.includes('node_modules'),
    })
    await cp(app.makePath('.env.example'), join(folder, '.env.example'))
    await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
    await writeFile(join(folder, 'adonisrc.ts'), '')
    await mkdir(join(folder, 'node_modules', 'sqlite3'), { recursive: true })

    const driverOf = async () => {
      await rm(join(folder, '.env'), { force: true })
      const env = { ...process.env, NODE_OPTIONS: '' }
      delete (env as NodeJS.ProcessEnv).NODE_ENV
      const { stderr } = await promisify(execFile)(
        process.execPath,
        ['-e', "import('./scripts/ace.js').then((ace) => ace.makeReady())"],
        { cwd: folder, env }
      )
      const file = await readFile(join(folder, '.env'), 'utf8')
      return { driver: /^DB_CONNECTION=(.*)$/m.exec(file)?.[1], stderr }
    }
    const without = await driverOf()
    assert.equal(without.driver, 'better-sqlite3')
    assert.include(without.stderr, 'npm run driver:sqlite3')

    const binary = join(folder, 'node_modules/sqlite3/build/Release')
    await mkdir(binary, { recursive: true })
    await writeFile(join(binary, 'node_sqlite3.node'), '')
    const withOne = await driverOf()
    assert.equal(withOne.driver, 'sqlite')
    assert.notInclude(withOne.stderr, 'driver:sqlite3')
  })

  test('[K8] no package that npm start installs needs to be compiled', async ({ assert }) => {
    const lock = JSON.parse(await readFile(app.makePath('package-lock.json'), 'utf8'))
    const withScripts = Object.entries<{ hasInstallScript?: boolean; dev?: boolean }>(lock.packages)
      .filter(([, entry]) => entry.hasInstallScript && !entry.dev)
      .map(([path]) => path)
    /* @scarf/scarf only counts installations; sqlite3 is built by npm run driver:sqlite3. */
    assert.sameMembers(withScripts, ['node_modules/@scarf/scarf', 'node_modules/sqlite3'])
  })
})
