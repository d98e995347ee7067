import { readFile } from 'node:fs/promises'
import { pathToFileURL } from 'node:url'
import app from '@adonisjs/core/services/app'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { urlOf } from '#tests/helpers/http'
import { faultsOf, writeProgram, writeTypes } from '#tests/helpers/typed_client'

/** The program of the README. */
async function programOf(readme: string): Promise<string> {
  const text = await readFile(app.makePath(readme), 'utf8')
  const blocks = [...text.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, block]) => block)
  return blocks.find((block) => block.includes('openapi-fetch'))!
}

test.group('A typed client | README', (group) => {
  group.setup(() => writeTypes(['/api/products']))
  group.each.setup(async () => {
    await db.from('products').delete()
    return async () => void (await db.from('products').delete())
  })

  test('[Q1] the program of the README compiles, creates, lists and changes a product', async ({
    assert,
  }) => {
    const program = await programOf('README.md')
    const path = await writeProgram(
      'program',
      `${program.replace('http://localhost:3333', urlOf(''))}\nexport { lamp, list, changed }\n`
    )
    assert.deepEqual(faultsOf(path), [])

    const { lamp, list, changed } = await import(pathToFileURL(path).href)
    assert.equal(lamp.name, 'Desk lamp')
    assert.equal(list.total_count, 1)
    assert.equal(list.data[0].id, lamp.id)
    assert.equal(changed.price, 35)
  }).timeout(60_000)
})
