import { relative } from 'node:path'
import { pathToFileURL, fileURLToPath } from 'node:url'
import { fsReadAll } from '@adonisjs/core/helpers'
import { listed, RuntimeError } from './errors.js'

/** Matches the first location in a stack: a URL, or a path if source maps are in use */
const FRAME = /^\s+at (?:.*\()?((?:file:\/\/)?\/[^)?]+?)(?:\?[^):]*)?:(\d+):\d+\)?$/m

interface UnreadableFile {
  path: string
  error: unknown
}

const TOO_EARLY = /^Cannot access '(.+)' before initialization$/

/**
 * Returns the errors of files that could not be imported, each error once: an error in one file is thrown again in all
 * files that import it, and a cycle of imports stops each of its files.
 *
 * @param shown  formats a path for the message
 */
export function unreadableErrors(
  files: readonly UnreadableFile[],
  shown: (path: string) => string
): RuntimeError[] {
  const groups = Map.groupBy(files, ({ error }) => (isCircle(error) ? TOO_EARLY : error))
  return [...groups.values()].map((group) => {
    const paths = listed(group.map(({ path }) => shown(path)))
    const { error: cause } = group[0]
    return isCircle(cause)
      ? new RuntimeError(circleMessage(paths, cause, shown), { cause })
      : new RuntimeError(`${paths} can't be imported: ${messageOf(cause)}`, { cause })
  })
}

function isCircle(error: unknown): error is ReferenceError {
  return error instanceof ReferenceError && TOO_EARLY.test(error.message)
}

function circleMessage(paths: string, error: ReferenceError, shown: (path: string) => string) {
  const [, name] = TOO_EARLY.exec(error.message)!
  const [, at, line] = FRAME.exec(error.stack ?? '') ?? []
  const path = at?.startsWith('file:') ? fileURLToPath(at) : at
  const place = path ? `${shown(path)}, line ${line},` : 'one of them'
  return `${paths} can't be imported: files import each other in a circle, and ${place} uses '${name}' before the file that makes it was read. Give a decorator's options as a function, which is called when all files have been: @Crud(() => ({ policy: ${name} })), or @AdminView(() => ({ ... }))`
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

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
  /*
   * Only compiled files are imported together: in development, hot reload observes each import and needs the importing
   * file.
   */
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
 * Imports all files from one generated module, because Node.js walks through all modules that a file imports, nearly
 * the whole application, for each call of `import()`. Errors are ignored: they are reported later, when each file is
 * imported by itself.
 */
async function importTogether(paths: readonly string[]): Promise<void> {
  if (paths.length === 0) return
  const imports = paths.map((path) => `import ${JSON.stringify(pathToFileURL(path).href)}`)
  const source = encodeURIComponent(imports.join('\n'))
  await import(`data:text/javascript,${source}`).catch(() => {})
}
