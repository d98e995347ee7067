/*
 * Runs TypeScript in the processes of a test run, in place of @poppinss/ts-exec: in the program's own
 * thread, and with a cache of compiled files in the folder ATRIUM_TEST_CACHE. A process starts in three
 * fifths of the time, and a test run starts many.
 */
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createRequire, registerHooks } from 'node:module'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const TS_EXEC = '@poppinss/ts-exec'
/** The package with the compiler. Resolved before the hook below hides it */
const packages = createRequire(import.meta.resolve(TS_EXEC))

const folder = process.env.ATRIUM_TEST_CACHE

/** The options that ts-exec reads from the project's tsconfig.json */
const OPTIONS = {
  sourceMaps: 'inline',
  module: { type: 'es6' },
  jsc: {
    target: 'esnext',
    keepClassNames: true,
    parser: { syntax: 'typescript', decorators: true, dynamicImport: true },
    transform: { decoratorMetadata: true, legacyDecorator: true },
    experimental: { keepImportAttributes: true },
  },
}

let swc

process.setSourceMapsEnabled(true)
registerHooks({
  resolve(specifier, context, next) {
    if (specifier === TS_EXEC) return { url: 'data:text/javascript,', shortCircuit: true }
    try {
      return next(specifier, context)
    } catch (error) {
      const isCompiled = error.code === 'ERR_MODULE_NOT_FOUND' && error.url?.endsWith('.js')
      if (!isCompiled) throw error
      try {
        return next(error.url.replace(/js$/, 'ts'), context)
      } catch {
        throw error
      }
    }
  },
  load(url, context, next) {
    if (!url.startsWith('file:') || !/\.ts(\?|$)/.test(url)) return next(url, context)
    return { format: 'module', shortCircuit: true, source: compiled(fileURLToPath(url)) }
  },
})

function compiled(filename) {
  const text = readFileSync(filename, 'utf8')
  const sourceFileName = basename(filename)
  const hash = createHash('sha256').update(sourceFileName).update('\0').update(text).digest('hex')
  const kept = folder && join(folder, `${hash}.js`)
  try {
    if (kept) return readFileSync(kept, 'utf8')
  } catch {}

  swc ??= packages('@swc/core')
  const { code } = swc.transformSync(text, { ...OPTIONS, filename, sourceFileName })
  if (!folder) return code
  mkdirSync(folder, { recursive: true })
  /* Another process may read it at this moment. */
  const draft = join(folder, `${hash}.${process.pid}`)
  writeFileSync(draft, code)
  renameSync(draft, kept)
  return code
}
