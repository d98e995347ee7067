import { readFileSync } from 'node:fs'
import app from '@adonisjs/core/services/app'
import { Secret } from '@adonisjs/core/helpers'
import { test } from '@japa/runner'
import { defineConfig as defineAdmin } from '#admin'
import { checkViewOptions } from '#admin/views/view_checks'
import { WIDGETS } from '#admin/views/widget'
import { databaseEvents } from '#admin/events/database_integration'
import { defineConfig as defineCrud } from '#crud'
import { checkOptions } from '#crud/checks'
import { OWN_PARAMETERS } from '#crud/request/query_string'
import { OPERATORS } from '#base/columns/operators'
import DemoRemove from '../../../../../commands/demo_remove.js'
import { getMetaData } from '../../../src/commands.js'
import { namesIn, tableRows } from '#tests/helpers/docs/markdown'

const UNKNOWN = 'unknownOption'

/** Options that a check accepts, as listed in its message about an unknown one. */
function knownTo(check: (options: any) => unknown): string[] {
  try {
    check({ [UNKNOWN]: 1 })
  } catch (error) {
    const [, list] = /there is no option '.*'; options(?: of \S+)? are (.*)$/.exec(
      (error as Error).message
    )!
    return list.split(/, | and /)
  }
  throw new Error('An unknown option was accepted')
}

/** Names in the first column */
function documented(page: string, heading: string): string[] {
  return tableRows(page, heading).flatMap(([first]) => namesIn(first))
}

/** Options with those of each group, as in `pagination.limit`; a group's own name stands for itself. */
function withGroups(check: (options: any) => unknown, groups: readonly string[]): string[] {
  const names = knownTo(check).filter((name) => !groups.includes(name))
  const inside = groups.flatMap((group) =>
    knownTo((options) => check({ [group]: options })).map((name) => `${group}.${name}`)
  )
  return [...names, ...inside]
}

test.group('Tables of options', () => {
  test('docs/models-and-endpoints.md lists the options of @Crud', ({ assert }) => {
    assert.sameMembers(
      documented('docs/models-and-endpoints.md', 'Options of `@Crud`'),
      knownTo(checkOptions)
    )
  })

  test('docs/admin-site.md lists the options of @AdminView and of its fields', ({ assert }) => {
    const options = knownTo((given) => checkViewOptions('Film', given))
    const field = knownTo((given) => checkViewOptions('Film', { fields: { title: given } }))
    assert.sameMembers(documented('docs/admin-site.md', 'Options of `@AdminView`'), [
      ...options,
      ...field,
      ...WIDGETS,
    ])
  })

  test('docs/configuration.md lists the options of config/crud.ts', ({ assert }) => {
    const groups = ['pagination', 'openapi', 'docs', 'body', 'limits', 'idempotency', 'server']
    const limited = knownTo((options) =>
      defineCrud({ rateLimit: { requests: 1, seconds: 1, ...options } })
    )
    assert.sameMembers(documented('docs/configuration.md', 'Options of `config/crud.ts`'), [
      ...withGroups(defineCrud, groups),
      ...limited.map((name) => `rateLimit.${name}`),
      'docs',
    ])
  })

  test('docs/configuration.md lists the options of config/admin.ts', ({ assert }) => {
    const appKey = new Secret('x'.repeat(32))
    assert.sameMembers(
      documented('docs/configuration.md', 'Options of `config/admin.ts`'),
      withGroups(
        (given) => defineAdmin({ appKey, ...given }),
        ['jobs', 'imports', 'exports', 'forms', 'sessions', 'token', 'login']
      )
    )
  })

  test('docs/events.md lists the options of databaseEvents', ({ assert }) => {
    assert.includeMembers(
      documented('docs/events.md', 'Read the event log'),
      knownTo(databaseEvents as (options: any) => unknown)
    )
  })

  test('docs/configuration.md lists the variables of start/env.ts and .env.example', ({
    assert,
  }) => {
    const variables = documented('docs/configuration.md', 'Environment')
    const env = readFileSync(app.makePath('start/env.ts'), 'utf8')
    const example = readFileSync(app.makePath('.env.example'), 'utf8')
    const read = [...env.matchAll(/^ +([A-Z\d_]+): Env\.schema/gm)].map(([, name]) => name)
    const shipped = [...example.matchAll(/^([A-Z\d_]+)=/gm)].map(([, name]) => name)
    assert.sameMembers(variables, read)
    assert.sameMembers(variables, shipped)
  })

  test('docs/querying.md lists the parameters and operators of lists', ({ assert }) => {
    assert.sameMembers(documented('docs/querying.md', 'Parameters'), [...OWN_PARAMETERS])
    assert.sameMembers(documented('docs/querying.md', 'Filters'), [...OPERATORS])
  })
})

test.group('docs/commands.md', () => {
  test('docs/commands.md lists every command of the engine with its options', async ({
    assert,
  }) => {
    const commands = [...(await getMetaData()), DemoRemove.serialize()]
    const wanted = commands.map(({ commandName, flags }) => [
      commandName,
      ...flags.map(({ flagName, default: value }: any) =>
        value === true ? `--no-${flagName}` : `--${flagName}`
      ),
    ])
    const page = ['Models', 'Admin site'].flatMap((heading) =>
      tableRows('docs/commands.md', heading)
        .filter(([first]) => /^`[a-z]+(?::[a-z-]+)?(?: [^`]*)?`$/.test(first))
        .map(([first, options]) => [namesIn(first)[0].split(' ')[0], ...namesIn(options)])
    )
    const known = page.filter(([name]) => commands.some(({ commandName }) => commandName === name))
    const sorted = (rows: string[][]) =>
      rows.map(([name, ...flags]) => [name, ...flags.toSorted()].join(' ')).toSorted()
    assert.deepEqual(sorted(known), sorted(wanted))
  })

  test('docs/commands.md lists the scripts of package.json', ({ assert }) => {
    const { scripts } = JSON.parse(readFileSync(app.makePath('package.json'), 'utf8'))
    const commands = tableRows('docs/commands.md', 'npm, in a clone').map(
      ([first]) => namesIn(first)[0]
    )
    const names = commands.map((command) => /^npm (?:run )?(\w\S*)/.exec(command)![1])
    assert.sameMembers([...new Set(names)], Object.keys(scripts))
  })
})
