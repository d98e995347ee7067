import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import app from '@adonisjs/core/services/app'
import type { ApplicationService } from '@adonisjs/core/types'
import { test } from '@japa/runner'
import { modelFiles } from '#crud/lucid/model_files'

const root = app.makePath('tmp', `model-files-${process.pid}`)
let count = 0

/** An application with these model files. */
async function appWith(files: Record<string, string>): Promise<ApplicationService> {
  const folder = join(root, String(++count))
  for (const [name, text] of Object.entries(files)) {
    await mkdir(join(folder, name, '..'), { recursive: true })
    await writeFile(join(folder, name), text)
  }
  return { modelsPath: () => folder } as unknown as ApplicationService
}

/** Result of each file, by name. */
async function read(files: Record<string, string>) {
  const found = await modelFiles(await appWith(files))
  return Object.fromEntries(
    found.map((file) => [
      file.path.replace(/.*\/\d+\//, ''),
      'error' in file ? String(file.error) : file.exported,
    ])
  )
}

test.group('Files of models', (group) => {
  group.each.teardown(() => rm(root, { recursive: true, force: true }))

  for (const type of ['js', 'ts']) {
    test(`[P9] each of several .${type} files is run once, even if others throw errors`, async ({
      assert,
      cleanup,
    }) => {
      const runs: string[] = []
      const name = `modelFileRuns_${type}`
      Object.assign(globalThis, { [name]: runs })
      cleanup(() => void Reflect.deleteProperty(globalThis, name))
      const ran = (file: string) => `globalThis['${name}'].push('${file}')\n`

      const found = await read({
        [`a.${type}`]: `${ran('a')} export default 'A'`,
        [`b.${type}`]: `${ran('b')} throw new Error('thrown at import')`,
        [`deep/it's 50%.${type}`]: `${ran('c')} export const one = 1; export const two = 2`,
        [`z.${type}`]: `${ran('z')} await null; export default 'Z'`,
        'notes.md': 'no model',
        'types.d.ts': 'throw new Error("never read")',
      })
      assert.deepEqual(found, {
        [`a.${type}`]: ['A'],
        [`b.${type}`]: 'Error: thrown at import',
        [`deep/it's 50%.${type}`]: [1, 2],
        [`z.${type}`]: ['Z'],
      })
      assert.deepEqual(runs.sort(), ['a', 'b', 'c', 'z'])
    })

    test(`[P9] a .${type} file that can't be linked does not affect the others`, async ({
      assert,
    }) => {
      const found = await read({
        [`a.${type}`]: `import { nothing } from 'node:path'; export default nothing`,
        [`b.${type}`]: `export default 'B'`,
        [`c.${type}`]: `export default =`,
      })
      assert.include(found[`a.${type}`], "does not provide an export named 'nothing'")
      assert.deepEqual(found[`b.${type}`], ['B'])
      assert.isString(found[`c.${type}`])
    })
  }

  test('model files are imported once per application', async ({ assert }) => {
    const own = await appWith({ 'a.js': 'export default 1' })
    assert.strictEqual(await modelFiles(own), await modelFiles(own))
    assert.isEmpty(await modelFiles(await appWith({})))
  })
})
