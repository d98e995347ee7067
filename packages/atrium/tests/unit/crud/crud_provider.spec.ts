import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import app from '@adonisjs/core/services/app'
import type { ApplicationService } from '@adonisjs/core/types'
import { test } from '@japa/runner'
import { ConfigurationError, resources } from '#crud'
import CrudProvider from '#crud/crud_provider'
import { ResourceRegistry } from '#crud/resource/registry'

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

/** Creates a directory of models, inside the project so that they can import it. */
async function folderWith(files: Record<string, string>): Promise<string> {
  const folder = join(root, String(++count))
  for (const [name, text] of Object.entries(files)) {
    await mkdir(join(folder, name, '..'), { recursive: true })
    await writeFile(join(folder, name), text)
  }
  return folder
}

function providerFor(
  folder: string,
  environment: string = 'test',
  terminating: (hook: () => void) => void = () => {}
) {
  return new CrudProvider({
    modelsPath: () => folder,
    relativePath: (path: string) => path.slice(folder.length + 1),
    getEnvironment: () => environment,
    terminating,
  } as unknown as ApplicationService)
}

async function failureOf(work: Promise<unknown>): Promise<any> {
  return work.then(
    () => undefined,
    (error) => error
  )
}

test.group('CrudProvider', (group) => {
  /** The models of a test: they have no tables, so that what loads all models later must not find them. */
  let own: ResourceRegistry

  group.each.setup(() => {
    own = new ResourceRegistry()
    const { add, errors } = resources
    const before = errors.length
    resources.add = (endpoints) => own.add(endpoints)
    return async () => {
      resources.add = add
      resources.unreported.length = 0
      resources.areErrorsShown = false
      errors.length = before
      await rm(root, { recursive: true, force: true })
    }
  })

  test('[P9] the provider collects the errors of all models, also in one file', async ({
    assert,
  }) => {
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
    const failure = await failureOf(providerFor(folder).start())

    assert.instanceOf(failure, ConfigurationError)
    assert.lengthOf(failure.errors, 4)
    for (const text of ["One: includedMethods names 'fly'", 'Two: path', 'model Three']) {
      assert.include(failure.message, text)
    }
    assert.include(failure.message, "broken.ts can't be imported: thrown at import")
    assert.isEmpty(own.all())
  })

  const CIRCLE = (lazy: boolean) => {
    const options = lazy ? '() => ({ policy: shared, path: PATHS.NAME })' : '{ policy: shared }'
    const model = (name: string, first: string) =>
      `${first}\nimport { shared, PATHS } from './shared.js'\n` +
      MODEL(name, options.replace('NAME', name))
    return {
      'circle_a.ts': model('CircleA', ''),
      'circle_b.ts': model('CircleB', "import './circle_a.js'"),
      'shared.ts': `
        import { CircleA } from './circle_a.js'
        import { CircleB } from './circle_b.js'
        export const PATHS = { CircleA: 'circle/a', CircleB: 'circle/b' }
        export const shared = (_actor, action, { model }) => model !== CircleA && model !== CircleB`,
      'zebra.ts': `import './shared.js'`,
    }
  }

  test('[P2] a policy can import the models that use it if the options are a function', async ({
    assert,
  }) => {
    const folder = await folderWith(CIRCLE(true))
    await providerFor(folder).start()
    const added = own.endpoints()
    assert.deepEqual(added.map(({ path }) => path).sort(), ['/api/circle/a', '/api/circle/b'])
    for (const { resource } of added) {
      assert.isFalse(resource.policy!({} as any, 'read', resource, undefined as any))
    }
  })

  test('[P9] an import cycle is one error with instructions', async ({ assert }) => {
    const folder = await folderWith(CIRCLE(false))
    const failure = await failureOf(providerFor(folder).start())
    assert.lengthOf(failure.errors, 1)
    assert.match(failure.message, /circle_a\.ts.* and .*zebra\.ts can't be imported: files import/)
    assert.match(failure.message, /circle_[ab]\.ts, line \d+, uses 'shared' before/)
    assert.include(failure.message, '@Crud(() => ({ policy: shared }))')
  })

  test('[P9] an error that a file throws is reported once, with all files that import it', async ({
    assert,
  }) => {
    const folder = await folderWith({
      'a.ts': "import './thrower.js'",
      'b.ts': "import './thrower.js'",
      'thrower.ts': "throw new Error('no luck')",
    })
    const failure = await failureOf(providerFor(folder).start())
    assert.lengthOf(failure.errors, 1)
    assert.include(failure.message, "a.ts, b.ts and thrower.ts can't be imported: no luck")
  })

  test('[P9] a function that returns no options is an error', async ({ assert }) => {
    const folder = await folderWith({
      'empty.ts': MODEL('Empty', '(() => undefined) as any'),
      'late.ts': MODEL('Late', '(async () => ({})) as any'),
      'thrown.ts': MODEL('Thrown', "() => { throw new Error('no luck') }"),
    })
    const { errors } = await failureOf(providerFor(folder).start())
    const messages = errors.map((error: Error) => error.message)
    assert.match(messages[0], /^Empty: the function given to @Crud returned undefined, and must/)
    assert.match(messages[1], /^Late: the function given to @Crud returned Promise/)
    assert.equal(messages[2], 'Thrown: the function given to @Crud threw: no luck')
  })

  test('[P9] a command ends with one line about configuration errors, unless it has already listed them', async ({
    assert,
    cleanup,
  }) => {
    const folder = await folderWith({ 'one.ts': MODEL('One', '{ tags: 5 as any }') })
    const warnings: string[] = []
    const { warn } = console
    console.warn = (text) => warnings.push(text)
    cleanup(() => {
      console.warn = warn
    })

    const ends: Array<() => void> = []
    await providerFor(folder, 'console', (hook) => ends.push(hook)).start()
    assert.isEmpty(warnings)
    assert.lengthOf(ends, 1)
    ends[0]()
    const line = "The models' configuration has 1 error. node ace atrium:doctor lists them"
    assert.deepEqual(warnings, [line])
    assert.match(resources.errors.at(-1)!.message, /^One: tags is 5, and must be a list of strings/)
    resources.areErrorsShown = true
    ends[0]()
    assert.lengthOf(warnings, 1)
  })

  test('[P9] a server reports the errors of models and missing tables together, each once', async ({
    assert,
  }) => {
    const folder = await folderWith({
      'lost.ts': MODEL('Lost', ''),
      'wrong.ts': MODEL('Wrong', "{ path: 'two words', include: ['none'] }"),
    })
    await providerFor(folder, 'web').start()
    await providerFor(folder, 'web').start()
    own.unreported.push(...resources.unreported.splice(0))
    const failure = await failureOf(own.load())
    assert.instanceOf(failure, ConfigurationError)
    assert.lengthOf(failure.errors, 3)
    assert.include(failure.message, 'Lost: the table losts does not exist')
    assert.include(failure.message, "Lost: the path /api/losts is Lost's already")
    assert.include(failure.message, 'Wrong: ')
    assert.isEmpty(own.unreported)
  })

  test('[P2] a directory that is missing or has no models causes no error', async ({ assert }) => {
    const folder = await folderWith({
      'helpers.ts': 'export const answer = 42\nexport class Plain {}\nexport function help() {}\n',
    })
    await providerFor(folder).start()
    await providerFor(`${folder}-missing`).start()
    assert.isEmpty(own.all())
  })

  async function warningsOf(environment: string, inProduction: boolean) {
    const warnings: Array<[{ models: string[] }, string]> = []
    const warn = (...words: [{ models: string[] }, string]) => warnings.push(words)
    const provider = new CrudProvider({
      getEnvironment: () => environment,
      inProduction,
      container: { make: async () => ({ warn }) },
    } as unknown as ApplicationService)
    await provider.ready()
    await provider.shutdown()
    /* Those of tables that can only be read are texts alone. */
    return warnings.filter(([about]) => typeof about === 'object')
  }

  test('[P10] in production the server warns once about writes that are public by default', async ({
    assert,
    cleanup,
  }) => {
    const config = app.config.get<object>('crud')
    cleanup(() => app.config.set('crud', config))
    app.config.set('crud', { ...config, access: 'public', isAccessDecided: true })
    assert.isEmpty(await warningsOf('web', false))
    assert.isEmpty(await warningsOf('console', true))
    const warnings = await warningsOf('web', true)
    assert.lengthOf(warnings, 1)
    const [{ models }, text] = warnings[0]
    assert.includeMembers(models, ['Reel', 'Utensil'])
    assert.match(text, /^Everybody can write .*Reel.* through the endpoints, by the default of/)
  })

  test('[P10] in production the server names models without an access option, and the line to add', async ({
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
    assert.match(text, /^No access is set for .*Reel/)
    assert.include(text, "access: 'public' in @Crud opens")

    app.config.set('crud', { ...config, access: 'token', isAccessDecided: true })
    assert.isEmpty(await warningsOf('web', true))
  })
})
