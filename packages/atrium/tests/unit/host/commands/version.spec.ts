import { readFileSync } from 'node:fs'
import ace from '@adonisjs/core/services/ace'
import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'
import Version from '#host/commands/version'
import { VERSION } from '#host/version'

const VERSION_PATTERN = /^\d+\.\d+\.\d+/

async function output(args: string[]): Promise<string[]> {
  const command = await ace.create(Version, args)
  await command.exec()
  command.assertSucceeded()
  return command.logger.getLogs().map(({ message }) => message)
}

function installed(name: string): string {
  const file = app.makePath('node_modules', name, 'package.json')
  return JSON.parse(readFileSync(file, 'utf8')).version
}

test.group('atrium:version', (group) => {
  group.each.setup(() => {
    ace.ui.switchMode('raw')
    return () => ace.ui.switchMode('normal')
  })

  test('atrium:version prints the version of Atrium, then those of its runtime', async ({
    assert,
  }) => {
    const lines = await output([])
    assert.equal(lines[0], `Atrium    ${VERSION}`)
    assert.deepEqual(
      lines.slice(1).map((line) => line.split(/\s+/)[0]),
      ['Node.js', 'AdonisJS', 'Lucid', 'Database']
    )
    assert.equal(lines[2], `AdonisJS  ${installed('@adonisjs/core')}`)
  })

  test('atrium:version --json prints one object', async ({ assert }) => {
    const lines = await output(['--json'])
    assert.lengthOf(lines, 1)
    const { database, ...versions } = JSON.parse(lines[0])
    assert.deepEqual(versions, {
      atrium: VERSION,
      node: process.versions.node,
      adonisjs: installed('@adonisjs/core'),
      lucid: installed('@adonisjs/lucid'),
    })
    assert.equal(database.connection, app.config.get('database.connection'))
    assert.equal(database.version, installed(database.driver))
  })

  test("the newest version in the changelog is the engine's version", ({ assert }) => {
    assert.match(VERSION, VERSION_PATTERN)
    const changelog = readFileSync(app.makePath('CHANGELOG.md'), 'utf8')
    assert.equal(/^## \[(\d[^\]]*)\]/m.exec(changelog)?.[1], VERSION)
  })
})
