/*
 * Runs TypeScript in the processes of a test run, in place of @poppinss/ts-exec: in the program's own
 * thread, and with a cache of compiled files and resolved imports in the folder ATRIUM_TEST_CACHE. A process
 * starts in half the time, and a test run starts many.
 */
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createRequire, registerHooks, setSourceMapsSupport } from 'node:module'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const TS_EXEC = '@poppinss/ts-exec'
/** The package with the compiler. Resolved before the hook below hides it */
const packages = createRequire(import.meta.resolve(TS_EXEC))

const folder = process.env.ATRIUM_TEST_CACHE

const PACKAGES = '/node_modules/'

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

/** Resolved imports of packages, which are the same in each process of the run */
const placesFile = folder && join(folder, 'places.json')
const places = readPlaces()
let hasNewPlaces = false

let swc

setSourceMapsSupport(true, { nodeModules: false })
registerHooks({
  resolve(specifier, context, next) {
    if (specifier === TS_EXEC) return { url: 'data:text/javascript,', shortCircuit: true }
    if (!context.parentURL?.includes(PACKAGES)) return resolved(specifier, context, next)

    const kind = context.conditions.includes('import') ? 'import' : 'require'
    const key = `${kind} ${specifier} ${context.parentURL}`
    if (places[key]) return { ...places[key], shortCircuit: true }
    const found = resolved(specifier, context, next)
    if (found.url.includes(PACKAGES)) {
      places[key] = { url: found.url, format: found.format }
      hasNewPlaces = true
    }
    return found
  },
  load(url, context, next) {
    if (!url.startsWith('file:') || !/\.ts(\?|$)/.test(url)) return next(url, context)
    return { format: 'module', shortCircuit: true, source: compiled(fileURLToPath(url)) }
  },
})
if (placesFile) process.once('exit', writePlaces)

/** Imports name compiled files, for which there may only be one in TypeScript. */
function resolved(specifier, context, next) {
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
}

function readPlaces() {
  try {
    return JSON.parse(readFileSync(placesFile, 'utf8'))
  } catch {
    return {}
  }
}

function writePlaces() {
  if (!hasNewPlaces) return
  try {
    mkdirSync(folder, { recursive: true })
    replaceFile(placesFile, JSON.stringify({ ...readPlaces(), ...places }))
  } catch {
    /* The run has ended, and removed the folder. */
  }
}

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
  replaceFile(kept, code)
  return code
}

/** Another process may read it at this moment. */
function replaceFile(path, text) {
  const draft = `${path}.${process.pid}`
  writeFileSync(draft, text)
  renameSync(draft, path)
}
