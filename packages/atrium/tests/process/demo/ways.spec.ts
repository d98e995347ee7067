import { appendFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'
import { freePort } from '#tests/helpers/free_port'
import { ProjectCopy } from '#tests/helpers/project_copy'

const BODY = { name: 'Lamp', description: 'Bright', category: 'Light', price: 12.5 }

/** All files of these that a request runs through are named. */
const WHOLE = /^crud\/(?:endpoints|request|operations|lucid|sql|events)\//

/** What the steps 1 and 2 of a list name, which a create begins with */
const BEGINNING = /engine_router|mount_middleware|crud\/endpoints\/\w+\.ts/

/** Where application code could tell a row from a record */
const OF_OTHER_CREATES = 'crud/operations/writes/record_path.ts'

/** They run in the background after the start (the provider can stop that), and for the request that lists the files */
const OTHERS = [
  'crud/operations/complete_forms.ts',
  'crud/crud_provider.ts',
  'crud/endpoints/generated_routes.ts',
]

const text = readFileSync(app.makePath('docs/architecture.md'), 'utf8')

/** The files below `src` that a section of docs/architecture.md names as always used */
function namedIn(section: string, folder = 'crud'): string[] {
  const [, rest] = text.split(`## ${section}\n`)
  const steps = [...rest.split('\n## ')[0].matchAll(/^\d+\. [^]*?(?=\n(?:\d+\. |\n|$(?![^])))/gm)]
  const names = steps.flatMap(([step]) => [...step.matchAll(/`([\w/]+\.ts)`/g)])
  return names.map(([, path]) => (/^(?:admin|base|crud)\//.test(path) ? path : `${folder}/${path}`))
}

/** Maximum number of files of the site that the save of a form runs through, and of all but `base` for a list */
const MOST_OF_SAVE = 60
const MOST_OF_LIST = 38

/** They run in the background at any time. */
const BACKGROUND = /^admin\/(?:jobs|webhooks\/webhook_sender|events\/prune_schedule)/

/** Files of the engine that differ between what a section names and what a request runs through */
function differences(run: readonly string[], named: readonly string[]) {
  const whole = run.filter((path) => WHOLE.test(path) && !OTHERS.includes(path))
  return {
    idle: named.filter((path) => !run.includes(path)),
    unnamed: whole.filter((path) => !named.includes(path)),
  }
}

/** A server that lists the files which have run since it was asked the last time */
const SERVER = (port: number) => `
import { createServer } from 'node:http'
import { Session } from 'node:inspector/promises'
const session = new Session()
session.connect()
await session.post('Profiler.enable')
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
/* Commands load the routes, too, while the server has the port. */
const server = createServer(async (_, response) => {
  const { result } = await session.post('Profiler.takePreciseCoverage')
  const run = result.filter(({ functions }) => functions.some(({ ranges }) => ranges[0].count > 0))
  const paths = run.flatMap(({ url }) => /\\/packages\\/atrium\\/src\\/(.+\\.ts)/.exec(url)?.[1] ?? [])
  response.end(JSON.stringify(paths))
})
server.on('error', () => {}).listen(${port})
server.unref()
`

const PASSWORD = 'correct-horse-staple-9'

/** Returns the cookies of a new user of the site. */
async function signedIn(copy: ProjectCopy): Promise<string> {
  const command = `printf '%s' '${PASSWORD}' | ${process.execPath} ace.js admin:create --username=jo --password-stdin`
  await copy.run('sh', ['-c', command])
  const login = await fetch(`${copy.url}/admin/login`, {
    method: 'POST',
    redirect: 'manual',
    body: new URLSearchParams({ username: 'jo', password: PASSWORD }),
  })
  return login.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0])
    .join('; ')
}

test.group('Request flows in docs/architecture.md', () => {
  test('the files that docs/architecture.md lists for a list, a create and a save are those that run', async ({
    assert,
    cleanup,
  }) => {
    const copy = await ProjectCopy.create()
    cleanup(() => copy.remove())
    const port = await freePort()
    appendFileSync(join(copy.folder, 'start/routes.ts'), SERVER(port))
    const stop = await copy.start()
    cleanup(async () => void (await stop()))
    const runFiles = async () => {
      const response = await fetch(`http://localhost:${port}`)
      return (await response.json()) as string[]
    }
    /* What runs for each of three requests: background work can run during one. The first one loads what the next ones use. */
    const filesOf = async (request: () => Promise<Response>): Promise<string[]> => {
      await request()
      await runFiles()
      const runs: string[][] = []
      for (let count = 0; count < 3; count++) {
        const { status } = await request()
        assert.isBelow(status, 400)
        runs.push(await runFiles())
      }
      return runs[0].filter(
        (path) => !BACKGROUND.test(path) && runs.every((run) => run.includes(path))
      )
    }
    const list = () => fetch(`${copy.url}/api/products?price__gte=10`)
    const create = () =>
      fetch(`${copy.url}/api/products`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(BODY),
      })

    const ofList = namedIn('The way of a list')
    const listed = await filesOf(list)
    assert.deepEqual(differences(listed, ofList), { idle: [], unnamed: [] })
    const beyondBase = listed.filter((path) => !path.startsWith('base/') && !OTHERS.includes(path))
    assert.isAtMost(beyondBase.length, MOST_OF_LIST, beyondBase.join('\n'))
    const beginning = ofList.filter((path) => BEGINNING.test(path))
    const ofCreate = [...namedIn('The way of a create'), ...beginning]
    assert.deepEqual(differences(await filesOf(create), ofCreate), {
      idle: [OF_OTHER_CREATES],
      unnamed: [],
    })

    const cookie = await signedIn(copy)
    let gross = 1000
    const save = async () => {
      const page = await fetch(`${copy.url}/admin/Film/update/1`, { headers: { cookie } })
      const html = await page.text()
      const inputs = html.matchAll(/<input[^>]* name="(_version|_opened|_by)" value="([^"]+)"/g)
      const hidden = [...inputs].map(([, name, value]): [string, string] => [name, value])
      assert.lengthOf(hidden, 3)
      await runFiles()
      return await fetch(`${copy.url}/admin/Film/form_update/1`, {
        method: 'POST',
        redirect: 'manual',
        headers: { cookie },
        body: new URLSearchParams([...hidden, ['us_gross', String(gross++)]]),
      })
    }
    const saved = await filesOf(save)
    const ofSave = namedIn("The way of a form's save", 'admin')
    assert.deepEqual(differences(saved, ofSave).idle, [])
    const ofSite = saved.filter((path) => path.startsWith('admin/'))
    assert.isAtMost(ofSite.length, MOST_OF_SAVE, ofSite.join('\n'))
  }).timeout(120_000)
})
