import { relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { fsReadAll } from '@adonisjs/core/helpers'
import type { ApplicationService } from '@adonisjs/core/types'
import { crudConfig } from '../settings.js'

/** A file of `app/models`: its exports, or the error of its import. */
type ModelFile = { path: string; exported: readonly unknown[] } | { path: string; error: unknown }

const READ = new WeakMap<ApplicationService, Promise<ModelFile[]>>()

/** Imports the files of the application's models, once for all callers. */
export async function modelFiles(app: ApplicationService): Promise<ModelFile[]> {
  let files = READ.get(app)
  if (!files) READ.set(app, (files = importAll(app.modelsPath())))
  return await files
}

/**
 * True if the file is in `excludedModels` of `config/crud.ts`.
 *
 * @param path  path below `app/models`
 */
export function isExcludedModel(path: string): boolean {
  return crudConfig().excludedModels.map(withoutExtension).includes(withoutExtension(path))
}

async function importAll(folder: string): Promise<ModelFile[]> {
  const found = await fsReadAll(folder, {
    pathType: 'absolute',
    ignoreMissingRoot: true,
    filter: (path) => /\.[jt]s$/.test(path) && !path.endsWith('.d.ts'),
  })
  const paths = found.filter((path) => !isExcludedModel(relative(folder, path)))
  /* In development, hot reload observes each import and needs the importing file. */
  if (paths.every((path) => path.endsWith('.js'))) await importTogether(paths)
  const files: ModelFile[] = []
  for (const path of paths) files.push(await importOne(path))
  return files
}

async function importOne(path: string): Promise<ModelFile> {
  try {
    return { path, exported: Object.values(await import(pathToFileURL(path).href)) }
  } catch (error) {
    return { path, error }
  }
}

/**
 * Imports all files from one module. For each single import, Node.js walks through all modules of the file, which are
 * nearly all modules of the application. A failure is reported later, when the file itself is imported.
 */
async function importTogether(paths: readonly string[]): Promise<void> {
  const imports = paths.map((path) => `import ${JSON.stringify(pathToFileURL(path).href)}`)
  const source = encodeURIComponent(imports.join('\n'))
  await import(`data:text/javascript,${source}`).catch(() => {})
}

/** Removes the extension, which is .js in a build, and normalizes the path separator of Windows. */
function withoutExtension(path: string): string {
  return path.replaceAll('\\', '/').replace(/\.[jt]s$/, '')
}
