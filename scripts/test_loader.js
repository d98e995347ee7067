/*
 * Runs TypeScript in the processes of a test run, in place of @poppinss/ts-exec: in the program's own
 * thread, and with a cache of compiled files and resolved imports in the folder ATRIUM_TEST_CACHE. A process
 * starts in half the time, and a test run starts many.
 */
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createRequire, registerHooks, setSourceMapsSupport } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const TS_EXEC = '@poppinss/ts-exec'
/** The package with the compiler. Resolved before the hook below hides it */
const packages = createRequire(import.meta.resolve(TS_EXEC))

const folder = process.env.ATRIUM_TEST_CACHE

const PACKAGES = '/node_modules/'

/** An import of a package. The project and its copies have the same ones, in one folder. */
const BARE = /^@?[a-z](?!\w*:)/

/** The `imports` of the package.json of a project, by its folder: pairs of the name and the path */
const ALIASES = new Map()

/** The project's folder of each folder in it */
const PROJECTS = new Map()

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

/*
 * Lines of the sources, where tests fail. The commands and servers that tests start would spend a tenth of
 * their start on the maps, for stacks that nobody reads.
 */
const isRunner = /[\\/]bin[\\/]test\.ts$/.test(process.argv[1] ?? '')
setSourceMapsSupport(isRunner, { nodeModules: false })
registerHooks({
  resolve(specifier, context, next) {
    if (specifier === TS_EXEC) return { url: 'data:text/javascript,', shortCircuit: true }
    const { parentURL = '' } = context
    const isOfPackage = parentURL.includes(PACKAGES)
    const own = !isOfPackage && ownFile(specifier, parentURL)
    if (own) return { url: own, format: 'module', shortCircuit: true }
    if (!isOfPackage && !BARE.test(specifier)) return resolved(specifier, context, next)

    const kind = context.conditions.includes('import') ? 'import' : 'require'
    const key = `${kind} ${specifier} ${isOfPackage ? parentURL : ''}`
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

/**
 * The TypeScript file of a project that an import names as a compiled one; undefined for all else. Node.js
 * by itself would look for the compiled one, and make an error with a stack of its absence.
 */
function ownFile(specifier, parentURL) {
  if (!parentURL.startsWith('file:')) return undefined
  const isRelative = specifier.startsWith('./') || specifier.startsWith('../')
  const target = isRelative ? new URL(specifier, parentURL).href : aliased(specifier, parentURL)
  if (!target?.endsWith('.js')) return undefined
  const written = target.replace(/js$/, 'ts')
  const isThere = existsSync(fileURLToPath(written)) && !existsSync(fileURLToPath(target))
  return isThere ? written : undefined
}

/** The file that package.json gives an import with #. */
function aliased(specifier, parentURL) {
  if (!specifier.startsWith('#')) return undefined
  const project = projectOf(dirname(fileURLToPath(parentURL)))
  for (const [name, path] of aliasesOf(project)) {
    const [start, end] = name.split('*')
    const isMeant =
      end === undefined
        ? specifier === name
        : specifier.startsWith(start) && specifier.endsWith(end) && specifier.length > start.length
    if (!isMeant) continue
    const part = specifier.slice(start.length, specifier.length - (end ?? '').length)
    return pathToFileURL(join(project, path.replace('*', part))).href
  }
  return undefined
}

function projectOf(folder) {
  const known = PROJECTS.get(folder)
  if (known !== undefined) return known
  const parent = dirname(folder)
  const isProject = existsSync(join(folder, 'package.json')) || parent === folder
  const project = isProject ? folder : projectOf(parent)
  PROJECTS.set(folder, project)
  return project
}

/** Whole names first, then the longest beginnings, as Node.js does. */
function aliasesOf(project) {
  const known = ALIASES.get(project)
  if (known) return known
  let imports = {}
  try {
    imports = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8')).imports ?? {}
  } catch {}
  const isPattern = ([name]) => Number(name.includes('*'))
  const aliases = Object.entries(imports)
    .filter(([, path]) => typeof path === 'string' && path.startsWith('./'))
    .toSorted((one, other) => isPattern(one) - isPattern(other) || other[0].length - one[0].length)
  ALIASES.set(project, aliases)
  return aliases
}

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
