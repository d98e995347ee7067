import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { Exception } from '@adonisjs/core/exceptions'

const { resolve } = createRequire(import.meta.url)

/** Parts of a library by name, each true if it is as a patch expects it. */
export type Parts = Record<string, boolean>

/**
 * Stops the boot when a library differs from the version that a file in this folder was written for.
 *
 * @param library  the npm package, or `node`
 * @param file     name of the file in this folder, without `.ts`
 * @throws Exception  with code `E_RUNTIME`, the library, its version, the file and the changed parts
 */
export function expectLibrary(library: string, file: string, parts: Parts): void {
  const changed = Object.keys(parts).filter((part) => !parts[part])
  if (changed.length === 0) return
  throw new Exception(
    `${library} ${versionOf(library)} has changed: ${changed.join(', ')}. adonis-atrium relies on it (src/upstream/${file}.ts): install the version that it names, or a newer adonis-atrium`,
    { code: 'E_RUNTIME', status: 500 }
  )
}

/** True if the object has methods with these names. */
export function hasMethods(object: unknown, ...names: string[]): boolean {
  const methods = object as Record<string, unknown> | null | undefined
  return names.every((name) => typeof methods?.[name] === 'function')
}

/** True if the source of a function contains this text. */
export function hasText(method: unknown, text: string): boolean {
  return typeof method === 'function' && Function.prototype.toString.call(method).includes(text)
}

/** Returns the installed version of a library, or `unknown` if it is not installed. */
function versionOf(library: string): string {
  if (library === 'node') return process.versions.node
  for (const folder of resolve.paths(library) ?? []) {
    try {
      return JSON.parse(readFileSync(join(folder, library, 'package.json'), 'utf8')).version
    } catch {
      /* The library is not installed here. */
    }
  }
  return 'unknown'
}
