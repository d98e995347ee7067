import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import app from '@adonisjs/core/services/app'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import openapiTS, { astToString } from 'openapi-typescript'
import ts from 'typescript'
import { resources } from '#crud'
import { buildDocument } from '#crud/openapi/document'
import { urlOf } from '#tests/helpers/http'

/* Below the project, so that the program finds the packages that it imports. */
const folder = app.makePath('tmp', `typed-client-${process.pid}`)

const MODELS = ['/api/products', '/api/films', '/api/distributors', '/api/samples']

/** The program of the README. */
async function programOf(readme: string): Promise<string> {
  const text = await readFile(app.makePath(readme), 'utf8')
  const blocks = [...text.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, block]) => block)
  return blocks.find((block) => block.includes('openapi-fetch'))!
}

/** Of a few models, as a compiler takes its time for the hundreds that the tests have. */
async function writeTypes() {
  const endpoints = resources.endpoints().filter(({ path }) => MODELS.includes(path))
  const info = { title: 'Test', version: '1' }
  const document = buildDocument(endpoints, app.config.get('crud'), info)
  await writeFile(join(folder, 'api.ts'), astToString(await openapiTS(document as any)))
}

/** What the compiler says of a program, at its strictest. */
function faultsOf(path: string): string[] {
  const program = ts.createProgram([path], {
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: true,
    noEmit: true,
    target: ts.ScriptTarget.ESNext,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    types: ['node'],
  })
  return ts
    .getPreEmitDiagnostics(program)
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))
}

test.group('A typed client', (group) => {
  group.setup(async () => {
    await mkdir(folder, { recursive: true })
    await writeTypes()
    return () => rm(folder, { recursive: true, force: true })
  })
  group.each.setup(async () => {
    await db.from('products').delete()
    return async () => void (await db.from('products').delete())
  })

  test('[Q1] the program of the README compiles, creates, lists and changes a product', async ({
    assert,
  }) => {
    const program = await programOf('README.md')
    const path = join(folder, 'program.ts')
    await writeFile(
      path,
      `${program.replace('http://localhost:3333', urlOf(''))}\nexport { lamp, list, changed }\n`
    )
    assert.deepEqual(faultsOf(path), [])

    const { lamp, list, changed } = await import(pathToFileURL(path).href)
    assert.equal(lamp.name, 'Desk lamp')
    assert.equal(list.total_count, 1)
    assert.equal(list.data[0].id, lamp.id)
    assert.equal(changed.price, 35)
  }).timeout(60_000)

  test('[Q1] what can not be is no program', async ({ assert }) => {
    const path = join(folder, 'wrong.ts')
    await writeFile(
      path,
      `import createClient from 'openapi-fetch'
       import type { components, paths } from './api.js'
       const api = createClient<paths>()
       /* @ts-expect-error: the name is missing */
       await api.POST('/api/distributors', { body: {} })
       /* @ts-expect-error: a price is a number */
       await api.PATCH('/api/products/{id}', { params: { path: { id: 1 } }, body: { price: 'x' } })
       /* @ts-expect-error: there is no such filter */
       await api.GET('/api/products', { params: { query: { price__near: 5 } } })
       /* @ts-expect-error: there is no such path */
       await api.GET('/api/nothing')
       const status: components['schemas']['Sample']['status'] = 'draft'
       /* @ts-expect-error: no choice */
       const wrong: components['schemas']['Sample']['status'] = 'lost'
       const sku: components['schemas']['Product']['sku'] = null
       export { status, wrong, sku }`
    )
    assert.deepEqual(faultsOf(path), [])
  }).timeout(60_000)
})
