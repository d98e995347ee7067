import { fileURLToPath } from 'node:url'
import { listed, RuntimeError } from '#base/errors'

/** The first location in a stack: a URL, or a path if source maps are in use */
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
