import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Assert } from '@japa/assert'
import { test } from '@japa/runner'
import { formOf } from '#tests/helpers/forms'
import { freePort } from '#tests/helpers/free_port'
import { responsesOf } from '#tests/helpers/host_responses'
import { ProjectCopy } from '#tests/helpers/project_copy'
import { firstInCi } from '#tests/helpers/random_runs'
import { NETWORK, reachesRegistry } from '#tests/helpers/registry'
import { Visitor } from '#tests/helpers/visitor'

/** As a shell of the application has it, without what the tests of the engine set */
const ENVIRONMENT = {
  ...NETWORK,
  NODE_OPTIONS: '',
  NO_COLOR: '1',
  PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
}
/* What `node ace serve` starts the server with */
const SERVER = { ...ENVIRONMENT, NODE_OPTIONS: '--import=@poppinss/ts-exec' }

const PASSWORD = 'correct horse battery'
const POST = 'app/models/post.ts'

let packing: Promise<string> | undefined

/** @returns  the path of the engine's package, made once */
const tarball = () => (packing ??= pack())

async function pack(): Promise<string> {
  const copy = await ProjectCopy.create()
  const { status, output } = await copy.run(
    'npm',
    ['pack', '--workspace=adonis-atrium', '--json'],
    ENVIRONMENT
  )
  if (status !== 0) throw new Error(output)
  const names = await readdir(copy.folder)
  return join(
    copy.folder,
    names.find((name) => name.endsWith('.tgz'))!
  )
}

for (const host of firstInCi(['web', 'api'])) {
  test.group(`An application made from a starter kit: ${host}`, (group) => {
    let copy: ProjectCopy
    let before: State
    let after: State
    let visitor: Visitor
    let stop: () => Promise<number | null>

    group.tap((one) =>
      one
        .timeout(600_000)
        .skip(() => !process.env.CI && !reachesRegistry(), 'the npm registry cannot be reached')
    )

    async function run(command: string, ...args: string[]): Promise<string> {
      const { status, output } = await copy.run(command, args, ENVIRONMENT)
      if (status !== 0) throw new Error(`${command} ${args.join(' ')}:\n${output}`)
      return output
    }

    const ace = (...args: string[]) => run(process.execPath, 'ace.js', ...args)
    async function countPackages(): Promise<number> {
      const { packages } = JSON.parse(await textOf('node_modules/.package-lock.json'))
      return Object.keys(packages).length
    }

    const textOf = (path: string) => readFile(join(copy.folder, path), 'utf8')

    interface State {
      packages: number
      responses: string[]
      routes: string
      schema: string
    }

    async function stateNow(): Promise<State> {
      const end = await copy.start(SERVER, 'bin/server.ts')
      const responses = await responsesOf(host, copy.url)
      await end()
      return {
        packages: await countPackages(),
        responses,
        routes: await ace('list:routes', '--json'),
        schema: await textOf('database/schema.ts'),
      }
    }

    group.setup(async () => {
      copy = await ProjectCopy.ofHost(host)
      await run('npm', 'install')
      await ace('migration:run', '--compact-output')
      await ace('db:seed', '--compact-output')
      before = await stateNow()

      await run('npm', 'install', await tarball())
      await ace('configure', 'adonis-atrium')
      await ace('migration:run', '--compact-output')
      after = await stateNow()

      const model = await textOf(POST)
      const decorated = model.replace('export default', '@Crud()\n@AdminView()\nexport default')
      await writeFile(
        join(copy.folder, POST),
        `import { AdminView, Crud } from 'adonis-atrium'\n${decorated}`
      )
      await run(
        'sh',
        '-c',
        `printf '%s' '${PASSWORD}' | node ace.js admin:create --username=jo --password-stdin`
      )
      stop = await copy.start(SERVER, 'bin/server.ts')
      visitor = new Visitor(copy.url, '/admin/')
      return () => copy.remove()
    })
    group.teardown(async () => void (await stop?.()))

    test('[K4] the engine changes no response, route or schema.ts of the application', ({
      assert,
    }) => {
      for (const [index, response] of after.responses.entries()) {
        assert.equal(response, before.responses[index])
      }
      assert.isAbove(before.responses.length, 10)
      assert.equal(after.routes, before.routes)
      assert.equal(after.schema, before.schema)
    })

    test('[K8] the engine installs at most 120 packages', ({ assert }) => {
      assert.isAtMost(after.packages - before.packages, 120)
    })

    test('[K3] configure changes two files and adds two, and a second run changes nothing', async ({
      assert,
    }) => {
      const files = ['adonisrc.ts', 'start/kernel.ts', 'config/crud.ts', 'config/admin.ts']
      const textsNow = () => Promise.all(files.map(textOf))
      const first = await textsNow()
      await ace('configure', 'adonis-atrium')
      assert.deepEqual(await textsNow(), first)
      for (const text of first.slice(0, 2)) {
        assert.match(text, /adonis-atrium\/[a-z]+'\),\n/)
        assert.notMatch(text, /adonis-atrium\/[a-z]+'\)\n/)
      }
      for (const text of first.slice(2)) assert.match(text, /[^\n]\n$/)
    })

    test('[K3] the admin site has a login, forms, lists and exports as background jobs', async ({
      assert,
    }) => {
      await checkLogin(assert, visitor)
      await checkForms(assert, visitor)
      await checkJob(assert, visitor)
    })

    test('[K3] [K4] the engine serves endpoints, errors as problem+json, and documentation', async ({
      assert,
    }) => {
      await checkEndpoints(assert, copy.url)
    })

    test('[K3] crud:routes, atrium:doctor and make:migration run in the application', async ({
      assert,
    }) => {
      assert.match(await ace('crud:routes', '--json'), /"\/api\/posts\/:id"/)
      assert.include(await ace('atrium:doctor'), 'Nothing is wrong')
      assert.include(await ace('make:migration', 'things'), 'database/migrations/')
    })

    test('[K4] [K5] [P12.16] code from make:crud passes the type check and tests of the application', async ({
      assert,
    }) => {
      await ace('make:crud', 'Label', 'name:string:unique')
      const fields = ['title', 'state:enum(draft,sent)', 'due_on:date?', 'label_id:belongsTo']
      const output = await ace('make:crud', 'Note', ...fields)
      assert.include(output, 'Next: node ace migration:run')
      assert.include(output, 'The test needs adminApiClient()')
      const bootstrap = await textOf('tests/bootstrap.ts')
      await writeFile(
        join(copy.folder, 'tests/bootstrap.ts'),
        `import { adminApiClient } from 'adonis-atrium/testing'\n${bootstrap.replace('apiClient(),', 'apiClient(), adminApiClient(),')}`
      )
      await ace('migration:run', '--compact-output')
      assert.include(await textOf('database/schema.ts'), 'class NoteSchema')
      assert.include(await ace('make:crud', '--check'), 'Models and tables agree')
      const model = await textOf('app/models/note.ts')
      assert.include(model, '  labelId: vine.number().withoutDecimals(),\n})\n')
      await run('npx', 'tsc', '--noEmit')
      const environment = { ...ENVIRONMENT, PORT: String(await freePort()) }
      const tests = await copy.run(process.execPath, ['ace.js', 'test'], environment)
      assert.equal(tests.status, 0, tests.output)
      assert.match(tests.output, /Notes[^]*Posts/)
    })

    test('[P9] an invalid setting is reported in one line with status 1, in the server and in commands', async ({
      assert,
    }) => {
      const file = join(copy.folder, 'config/crud.ts')
      const settings = await textOf('config/crud.ts')
      await writeFile(file, settings.replace("prefix: '/api'", 'prefix: 7'))
      const ends = [
        await copy.run(process.execPath, ['bin/server.ts'], SERVER),
        await copy.run(process.execPath, ['ace.js', 'admin:list'], ENVIRONMENT),
      ]
      await writeFile(file, settings)
      for (const { status, output } of ends) {
        assert.equal(status, 1)
        assert.lengthOf(output.trim().split('\n'), 1, output)
        assert.include(output, 'config/crud.ts: prefix is 7, and must be / or names')
      }
    })

    test('[K3.6] a command removes the engine’s tables, and the application’s tables stay', async ({
      assert,
    }) => {
      await stop()
      assert.include(await ace('atrium:uninstall', '--force'), 'Removed tables of Atrium: 26')
      await ace('migration:rollback', '--compact-output', '--no-schema-generate')
      assert.include(await ace('atrium:doctor').catch(String), 'Run node ace migrate')
      await ace('migrate')
      assert.include(await ace('atrium:doctor'), 'No admin user exists')
      stop = async () => 0
    })

    test('[K3.5] configure names what it cannot change, and requires Lucid', async ({ assert }) => {
      const configure = () =>
        copy.run(process.execPath, ['ace.js', 'configure', 'adonis-atrium'], ENVIRONMENT)
      await writeFile(join(copy.folder, 'start/kernel.ts'), '')
      const withoutKernel = await configure()
      assert.equal(withoutKernel.status, 1)
      assert.include(
        withoutKernel.output,
        "start/kernel.ts: add () => import('adonis-atrium/middle"
      )
      await rm(join(copy.folder, 'config/database.ts'))
      const withoutLucid = await configure()
      assert.equal(withoutLucid.status, 1)
      assert.include(withoutLucid.output, 'node ace add @adonisjs/lucid')
    })
  })
}

async function checkLogin(assert: Assert, visitor: Visitor) {
  const anonymous = await visitor.get('/admin/')
  assert.equal(anonymous.status, 303)
  const login = await visitor.post('/admin/login', { username: 'jo', password: PASSWORD })
  assert.equal(login.status, 303)
  const dashboard = await visitor.get('/admin/')
  assert.equal(dashboard.status, 200)
  assert.include(dashboard.text, '/admin/Post')
  const list = await visitor.get('/admin/Post/')
  for (const title of ['First', 'Second']) assert.include(list.text, title)
}

async function checkForms(assert: Assert, visitor: Visitor) {
  const blank = await visitor.get('/admin/Post/create_page')
  const form = formOf(blank.text)
  const wrong = await visitor.post(form.action, { ...form.values, title: '' })
  assert.equal(wrong.status, 422)
  const values = { ...form.values, authorId: '1', title: 'By a form', body: 'Text' }
  const created = await visitor.post(form.action, { ...values, dueOn: '2026-03-04' })
  assert.equal(created.status, 303)
  const page = await visitor.get('/admin/Post/update/3')
  const filled = formOf(page.text)
  assert.containSubset(filled.values, { title: 'By a form', dueOn: '2026-03-04' })
  const changed = await visitor.post(filled.action, { ...filled.values, wordPrice: '0.25' })
  assert.equal(changed.status, 303)
}

async function checkJob(assert: Assert, visitor: Visitor) {
  const started = await visitor.get('/admin/Post/export?format=xlsx')
  assert.equal(started.status, 303)
  const path = started.headers.get('location')!
  let file
  do file = await visitor.get(`${path}/file`)
  while (file.status === 404)
  assert.equal(file.status, 200)
  assert.match(file.headers.get('content-disposition')!, /\.xlsx/)
}

async function checkEndpoints(assert: Assert, url: string) {
  const call = async (path: string, json?: object) => {
    const response = await fetch(url + path, {
      method: json ? 'POST' : 'GET',
      headers: { 'content-type': 'application/json' },
      body: json && JSON.stringify(json),
    })
    return {
      status: response.status,
      type: response.headers.get('content-type'),
      body: await response.text(),
    }
  }
  const post = { authorId: 1, title: 'By REST', body: 'Text', isPublished: true }
  const created = await call('/api/posts', post)
  assert.equal(created.status, 201, created.body)
  assert.containSubset(JSON.parse(created.body), post)
  const list = await call('/api/posts?title=First')
  assert.containSubset(JSON.parse(list.body).data, [
    { id: 1, isPublished: true, wordPrice: 0.1, dueOn: '2026-02-03' },
  ])
  const missing = await call('/api/posts/999')
  assert.deepEqual([missing.status, missing.type], [404, 'application/problem+json; charset=utf-8'])
  const docs = await call('/docs')
  assert.deepEqual([docs.status, docs.type], [200, 'text/html; charset=utf-8'])
  const document = await call('/api/openapi.json')
  assert.property(JSON.parse(document.body).paths, '/api/posts/{id}')
}
