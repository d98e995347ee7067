import { appendFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'
import { ProjectCopy } from '#tests/helpers/project_copy'

const BODY = { name: 'Lamp', description: 'Bright', category: 'Light', price: 12.5 }

/** All files of these that a request runs through are named. */
const WHOLE = /^crud\/(?:endpoints|request|operations|lucid|sql|events)\//

/** What the steps 1 and 2 of a list name, which a create begins with */
const BEGINNING = /engine_router|mount_middleware|crud\/endpoints\/\w+\.ts/

/** Where application code could tell a row from a record */
const OF_OTHER_CREATES = 'crud/operations/writes/record_path.ts'

/** They run in the background after the start, and for the request that lists the files */
const OTHERS = ['crud/operations/complete_forms.ts', 'crud/endpoints/generated_routes.ts']

const text = readFileSync(app.makePath('docs/architecture.md'), 'utf8')

/** The files below `src` that a section of docs/architecture.md names as always used */
function namedIn(...sections: string[]): string[] {
  const steps = sections.flatMap((section) => {
    const [, rest] = text.split(`## ${section}\n`)
    return [...rest.split('\n## ')[0].matchAll(/^\d+\. [^]*?(?=\n(?:\d+\. |\n|$(?![^])))/gm)]
  })
  const names = steps.flatMap(([step]) => [...step.matchAll(/`([\w/]+\.ts)`/g)])
  return names.map(([, path]) => (/^(?:admin|base)\//.test(path) ? path : `crud/${path}`))
}

/** Files of the engine that differ between what a section names and what a request runs through */
function differences(run: readonly string[], named: readonly string[]) {
  const whole = run.filter((path) => WHOLE.test(path) && !OTHERS.includes(path))
  return {
    idle: named.filter((path) => !run.includes(path)),
    unnamed: whole.filter((path) => !named.includes(path)),
  }
}

/** A route that lists the files which have run since it was asked the last time */
const ROUTE = `
import { Session } from 'node:inspector/promises'
const session = new Session()
session.connect()
await session.post('Profiler.enable')
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
router.get('/ways', async () => {
  const { result } = await session.post('Profiler.takePreciseCoverage')
  const run = result.filter(({ functions }) => functions.some(({ ranges }) => ranges[0].count > 0))
  return run.flatMap(({ url }) => /\\/packages\\/atrium\\/src\\/(.+\\.ts)/.exec(url)?.[1] ?? [])
})
`

test.group('Request flows in docs/architecture.md', () => {
  test('the files listed for a list request and a create request are those that run', async ({
    assert,
    cleanup,
  }) => {
    const copy = await ProjectCopy.create()
    cleanup(() => copy.remove())
    appendFileSync(join(copy.folder, 'start/routes.ts'), ROUTE)
    const stop = await copy.start()
    cleanup(async () => void (await stop()))
    const filesOf = async (request: () => Promise<Response>): Promise<string[]> => {
      /* The first one loads what the next ones use. */
      await request()
      await fetch(`${copy.url}/ways`)
      const { status } = await request()
      assert.isBelow(status, 300)
      const run = await fetch(`${copy.url}/ways`)
      return (await run.json()) as string[]
    }
    const list = () => fetch(`${copy.url}/api/products?price__gte=10`)
    const create = () =>
      fetch(`${copy.url}/api/products`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(BODY),
      })

    const ofList = namedIn('The way of a list')
    assert.deepEqual(differences(await filesOf(list), ofList), { idle: [], unnamed: [] })
    const beginning = ofList.filter((path) => BEGINNING.test(path))
    const ofCreate = [...namedIn('The way of a create'), ...beginning]
    assert.deepEqual(differences(await filesOf(create), ofCreate), {
      idle: [OF_OTHER_CREATES],
      unnamed: [],
    })
  }).timeout(120_000)
})
