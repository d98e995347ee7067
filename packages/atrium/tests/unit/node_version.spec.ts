import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'

const OLD = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.1.0' } })`
const run = promisify(execFile)

test.group('Node.js', () => {
  test('with an older Node.js, {$self} prints in one line which version is required')
    .with(['bin/server.ts', 'bin/console.ts'])
    .run(async ({ assert }, entry) => {
      const flags = [
        '--import=./scripts/loader.js',
        `--import=data:text/javascript,${encodeURIComponent(OLD)}`,
      ]
      const ended = await run(process.execPath, [...flags, entry], { cwd: app.makePath() }).catch(
        (error) => error
      )
      assert.equal(ended.code, 1)
      assert.equal(
        ended.stderr,
        'This is Node.js 20.1.0: the application needs Node.js 24 or newer.\n'
      )
    })

  test('package.json, README and docs state the same minimum version of Node.js', async ({
    assert,
  }) => {
    const { engines } = JSON.parse(await readFile(app.makePath('package.json'), 'utf8'))
    assert.equal(engines.node, '>=24')
    for (const page of ['README.md', 'docs/deployment.md']) {
      assert.include(await readFile(app.makePath(page), 'utf8'), 'Node.js 24 or newer')
    }
  })
})
