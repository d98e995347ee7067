import { relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { fsReadAll } from '@adonisjs/core/helpers'

/** A file of the application: its exports, or the error of its import. */
export type ApplicationFile =
  { path: string; exported: readonly unknown[] } | { path: string; error: unknown }

/**
 * Imports the modules of a folder and of the folders in it; none if the folder does not exist.
 *
 * @param isWanted  false for a file to leave out, by its path below the folder
 */
export async function importFiles(
  folder: string,
  isWanted: (path: string) => boolean = () => true
): Promise<ApplicationFile[]> {
  const found = await fsReadAll(folder, {
    pathType: 'absolute',
    ignoreMissingRoot: true,
    filter: (path) => /\.[jt]s$/.test(path) && !path.endsWith('.d.ts'),
  })
  const paths = found.filter((path) => isWanted(relative(folder, path)))
  /* In development, hot reload observes each import and needs the importing file. */
  if (paths.every((path) => path.endsWith('.js'))) await importTogether(paths)
  const files: ApplicationFile[] = []
  for (const path of paths) files.push(await importOne(path))
  return files
}

async function importOne(path: string): Promise<ApplicationFile> {
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
  if (paths.length === 0) return
  const imports = paths.map((path) => `import ${JSON.stringify(pathToFileURL(path).href)}`)
  const source = encodeURIComponent(imports.join('\n'))
  await import(`data:text/javascript,${source}`).catch(() => {})
}
