import { readFileSync } from 'node:fs'
import { Session } from 'node:inspector/promises'
import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'
import { onSqlite } from '#tests/helpers/databases'
import { get, post } from '#tests/helpers/http'

const PATH = '/api/utensils'
const BODY = { name: 'Lamp', description: 'Bright', category: 'Light', price: 12.5 }

/** All files of these that a request runs through are named. */
const WHOLE = /^crud\/(?:endpoints|request|operations|lucid|sql|events)\//

/** What the steps 1 and 2 of a list name, which a create begins with */
const BEGINNING = /engine_router|mount_middleware|crud\/endpoints\/\w+\.ts/

/** Where application code could tell a row from a record */
const OF_OTHER_CREATES = 'crud/operations/writes/write_transaction.ts'

const text = readFileSync(app.makePath('docs/architecture.md'), 'utf8')

/** The files below `src` that a section of docs/architecture.md names as always used */
function namedIn(...sections: string[]): string[] {
  const steps = sections.flatMap((section) => {
    const [, rest] = text.split(`## ${section}\n`)
    return [...rest.split('\n## ')[0].matchAll(/^\d+\. [^]*?(?=\n(?:\d+\. |\n|$(?![^])))/gm)]
  })
  const names = steps.flatMap(([step]) => [...step.matchAll(/`([\w/]+\.ts)`/g)])
  return names.map(([, path]) => (path.startsWith('base/') ? path : `crud/${path}`))
}

/** The files of the engine that run while a request does. */
async function filesOf(request: () => Promise<{ status: number }>): Promise<Set<string>> {
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  await session.post('Profiler.takePreciseCoverage')
  await request()
  const { result } = await session.post('Profiler.takePreciseCoverage')
  session.disconnect()
  const run = result.filter(({ functions }) => functions.some(({ ranges }) => ranges[0].count > 0))
  return new Set(run.flatMap(({ url }) => /\/packages\/atrium\/src\/(.+\.ts)/.exec(url)?.[1] ?? []))
}

test.group('The ways in docs/architecture.md', (group) => {
  group.tap((one) => one.skip(!onSqlite, 'the dialects of other databases have files of their own'))

  test('the files of a list are those that a request runs through', async ({ assert }) => {
    const list = () => get(`${PATH}?price__gte=10`)
    await post(PATH, BODY)
    await list()
    const run = await filesOf(list)
    assert.deepEqual(differences(run, namedIn('The way of a list')), { idle: [], unnamed: [] })
  })

  test('the files of a create are those that a request runs through', async ({ assert }) => {
    const create = () => post(PATH, BODY)
    await create()
    const run = await filesOf(create)
    const beginning = namedIn('The way of a list').filter((path) => BEGINNING.test(path))
    const named = [...namedIn('The way of a create'), ...beginning]
    assert.deepEqual(differences(run, named), { idle: [OF_OTHER_CREATES], unnamed: [] })
  })
})

/** Named files that did not run, and files that ran without being named */
function differences(run: ReadonlySet<string>, named: readonly string[]) {
  const whole = [...run].filter((path) => WHOLE.test(path))
  return {
    idle: named.filter((path) => !run.has(path)),
    unnamed: whole.filter((path) => !named.includes(path)),
  }
}
