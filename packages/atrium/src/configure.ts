import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import type Configure from '@adonisjs/core/commands/configure'
import { engineFile } from '#base/engine_file'

/** Folder of the templates for the files that `configure` writes */
export const stubsRoot = engineFile('stubs')

const PROVIDERS = [
  /* Required for the validation of @Crud({ createSchema }) */
  '@adonisjs/core/providers/vinejs_provider',
  'adonis-atrium/provider',
]
const COMMANDS = 'adonis-atrium/commands'
const MIDDLEWARE = 'adonis-atrium/middleware'

/**
 * Adds the engine to an application: `node ace configure adonis-atrium`. A second run changes nothing. Prints one line
 * for each entry that cannot be added, and then ends with exit status 1.
 */
export async function configure(command: Configure): Promise<void> {
  const { app, logger } = command
  if (!existsSync(app.configPath('database.ts'))) {
    logger.error('config/database.ts is missing: run node ace add @adonisjs/lucid first')
    command.exitCode = 1
    return
  }
  const codemods = await command.createCodemods()
  const rcFile = app.makePath('adonisrc.ts')
  const kernel = app.startPath('kernel.ts')

  const missing = withoutThoseIn(rcFile, [...PROVIDERS, COMMANDS])
  if (missing.length > 0) {
    await codemods.updateRcFile((file) => {
      for (const path of missing) path === COMMANDS ? file.addCommand(path) : file.addProvider(path)
    })
  }
  if (withoutThoseIn(kernel, [MIDDLEWARE]).length > 0) {
    await codemods.registerMiddleware('server', [{ path: MIDDLEWARE, position: 'after' }])
  }
  for (const file of [rcFile, kernel]) addTrailingCommas(file)
  for (const name of ['crud', 'admin']) {
    const file = await codemods.makeUsingStub(stubsRoot, `config/${name}.stub`, {})
    if (file.status !== 'skipped') appendFileSync(file.destination, '\n')
  }

  const left = [
    ...withoutThoseIn(rcFile, PROVIDERS).map((path) => inList('adonisrc.ts', path, 'providers')),
    ...withoutThoseIn(rcFile, [COMMANDS]).map((path) => inList('adonisrc.ts', path, 'commands')),
    ...withoutThoseIn(kernel, [MIDDLEWARE]).map((path) =>
      inList('start/kernel.ts', path, 'server.use([...]), as its last entry')
    ),
  ]
  for (const line of left) logger.error(line)
  if (left.length > 0) command.exitCode = 1
  else logger.info('Next: node ace migration:run, then node ace admin:create for the first user')
}

/** Adds trailing commas, because the codemods write the last entry of a list without one. */
function addTrailingCommas(file: string): void {
  if (!existsSync(file)) return
  const text = readFileSync(file, 'utf8')
  const tidy = text.replace(/(import\((['"])adonis-atrium\/\w+\2\))(?=\s*\n\s*\])/g, '$1,')
  if (tidy !== text) writeFileSync(file, tidy)
}

function withoutThoseIn(file: string, paths: string[]): string[] {
  const text = existsSync(file) ? readFileSync(file, 'utf8') : ''
  return paths.filter((path) => !text.includes(`'${path}'`) && !text.includes(`"${path}"`))
}

const inList = (file: string, path: string, list: string) =>
  `${file}: add () => import('${path}') to ${list}`
