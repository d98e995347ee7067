import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import app from '@adonisjs/core/services/app'
import type { ApplicationService } from '@adonisjs/core/types'
import { test } from '@japa/runner'
import { ConfigurationError, resources } from '#crud'
import CrudProvider from '#crud/crud_provider'

const MODEL = (name: string, options: string) => `
  import { BaseModel, column } from '@adonisjs/lucid/orm'
  import { Crud } from '#crud'
  @Crud(${options})
  export class ${name} extends BaseModel {
    @column({ isPrimary: true })
    declare id: number
  }
`

const root = app.makePath('tmp', `models-${process.pid}`)
let count = 0

/** A folder of models, below the project so that they can import it. */
async function folderWith(files: Record<string, string>): Promise<string> {
  const folder = join(root, String(++count))
  for (const [name, text] of Object.entries(files)) {
    await mkdir(join(folder, name, '..'), { recursive: true })
    await writeFile(join(folder, name), text)
  }
  return folder
}

function providerFor(folder: string, environment: string = 'web') {
  return new CrudProvider({
    modelsPath: () => folder,
    relativePath: (path: string) => path.slice(folder.length + 1),
    getEnvironment: () => environment,
  } as unknown as ApplicationService)
}

async function failureOf(work: Promise<unknown>): Promise<any> {
  return work.then(
    () => undefined,
    (error) => error
  )
}

test.group('CrudProvider', (group) => {
  group.each.teardown(() => rm(root, { recursive: true, force: true }))

  test('[P9] it collects the faults of all models, also of one file', async ({ assert }) => {
    const folder = await folderWith({
      'deep/one.ts': MODEL('One', '{ includedMethods: ["fly"] as any }'),
      'both.ts': `
        ${MODEL('Two', '{ path: "two words" }')}
        @Crud({ filterConfig: { nothing: null } })
        export class Three extends BaseModel {
          @column({ isPrimary: true })
          declare id: number
        }`,
      'broken.ts': 'throw new Error("thrown at import")',
      'notes.md': 'no model',
      'types.d.ts': 'throw new Error("never read")',
    })
    const before = resources.all().length
    const failure = await failureOf(providerFor(folder).start())

    assert.instanceOf(failure, ConfigurationError)
    assert.lengthOf(failure.errors, 4)
    for (const text of ["One: includedMethods names 'fly'", 'Two: path', 'model Three']) {
      assert.include(failure.message, text)
    }
    assert.include(failure.message, "broken.ts can't be imported: thrown at import")
    assert.lengthOf(resources.all(), before)
  })

  test('[P9] in a command the faults are a warning', async ({ assert, cleanup }) => {
    const folder = await folderWith({ 'one.ts': MODEL('One', '{ tags: 5 as any }') })
    const warnings: string[] = []
    const { warn } = console
    console.warn = (text) => warnings.push(text)
    cleanup(() => {
      console.warn = warn
    })

    await providerFor(folder, 'console').start()
    assert.lengthOf(warnings, 1)
    assert.include(warnings[0], 'One: tags is 5, and must be a list of strings')
  })

  test('[P2] a folder that is missing, or holds no model, is none', async ({ assert }) => {
    const folder = await folderWith({
      'helpers.ts': 'export const answer = 42\nexport class Plain {}\nexport function help() {}\n',
    })
    const before = resources.all().length

    await providerFor(folder).start()
    await providerFor(`${folder}-missing`).start()
    assert.lengthOf(resources.all(), before)
  })

  async function warningsOf(environment: string, inProduction: boolean) {
    const warnings: Array<[{ models: string[] }, string]> = []
    const warn = (...words: [{ models: string[] }, string]) => warnings.push(words)
    await new CrudProvider({
      getEnvironment: () => environment,
      inProduction,
      container: { make: async () => ({ warn }) },
    } as unknown as ApplicationService).ready()
    return warnings
  }

  test('[P10] in production the server warns once of what anybody may write by default', async ({
    assert,
  }) => {
    assert.isEmpty(await warningsOf('web', false))
    assert.isEmpty(await warningsOf('console', true))
    const warnings = await warningsOf('web', true)
    assert.lengthOf(warnings, 1)
    const [{ models }, text] = warnings[0]
    assert.includeMembers(models, ['Reel', 'Utensil'])
    assert.match(text, /^Anybody may write .*Reel.* through the endpoints, as only the default of/)
  })

  test('[P10] in production it names the models that nobody decided about, and the line that opens them', async ({
    assert,
    cleanup,
  }) => {
    const config = app.config.get<object>('crud')
    cleanup(() => app.config.set('crud', config))
    app.config.set('crud', { ...config, access: 'token' })
    const warnings = await warningsOf('web', true)
    assert.lengthOf(warnings, 1)
    const [{ models }, text] = warnings[0]
    assert.includeMembers(models, ['Reel', 'Utensil'])
    assert.notInclude(models, 'Guarded')
    assert.match(text, /^Nobody has decided who may call .*Reel/)
    assert.include(text, "access: 'public' in @Crud opens")

    app.config.set('crud', { ...config, access: 'token', isAccessDecided: true })
    assert.isEmpty(await warningsOf('web', true))
  })
})
