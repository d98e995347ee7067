/*
 * Runs TypeScript in the thread of the program, in place of @poppinss/ts-exec, which compiles in a worker
 * and without a cache: `node --import=./scripts/loader.js FILE`. Compiled files, resolved imports and V8's
 * code are cached in node_modules/.cache/atrium. A process starts in a third of the time.
 *
 * `npm run dev` uses ts-exec, as hot reloading replaces modules by asynchronous hooks.
 */
import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { enableCompileCache, registerHooks, setSourceMapsSupport } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { compile } from './compile.js'
import { movedImport } from './moved_imports.js'

/** What a process with this loader does without: ts-exec, and this loader in a copy of the project */
const LOADERS = /^@poppinss\/ts-exec$|\/scripts\/loader\.js$/

const root = dirname(import.meta.dirname)
const nodeModules = packagesOf(root)
const folder = join(nodeModules, '.cache', 'atrium')

/** Changes with each installation; undefined without npm's record, and resolved imports are not cached. */
const installation = modified(join(nodeModules, '.package-lock.json'))

/** Age in milliseconds at which a cached file is removed; it is made again if it is still needed. */
const CACHED_MAX_AGE = 30 * 24 * 60 * 60 * 1000

const PACKAGES = '/node_modules/'
const PACKAGES_URL = `${pathToFileURL(nodeModules).href}/`

/** An import of a package. The project and its copies have the same ones, in one folder. */
const BARE = /^@?[a-z](?!\w*:)/

/** The engine, whose TypeScript files stand for its build wherever its folder is in the project */
const ENGINE = 'adonis-atrium'
const ENGINE_FOLDER = join('packages', 'atrium')
/** Its files import each other, where a process with this loader runs them. */
const ENGINE_BUILD = '/packages/atrium/build/'

/** The condition of `exports` and `imports` of the engine's package.json under which they name its sources */
const SOURCE = 'atrium-source'

/** The `imports` of the package.json of a project, by its folder: pairs of the name and the path */
const ALIASES = new Map()

/** The engine's `exports`, by its folder */
const EXPORTS = new Map()

/** The project's folder of each folder in it */
const PROJECTS = new Map()

/** Whether a project has the packages of this one, as its copies do, by its folder */
const SHARES_PACKAGES = new Map([[root, true]])

/** Resolved imports of packages, by absolute paths: a copy of the project with its packages has its own. */
const resolvedFile =
  installation && join(folder, `resolved-${hashOf(`${installation} ${nodeModules}`)}.json`)
const resolvedImports = readResolved()
let hasNewImports = false
let hasCompiled = false

enableCompileCache(join(folder, 'v8'))
setSourceMapsSupport(true, { nodeModules: false })
registerHooks({
  resolve(specifier, context, next) {
    if (LOADERS.test(specifier)) return { url: 'data:text/javascript,', shortCircuit: true }
    const { parentURL = '' } = context
    const isOfPackage = parentURL.includes(PACKAGES)
    const own = !isOfPackage && ownFile(specifier, parentURL)
    if (own) return { url: own, format: 'module', shortCircuit: true }
    if (!isOfPackage && !BARE.test(specifier)) return resolved(specifier, context, next)

    const key = keyOf(specifier, context, isOfPackage)
    if (key && resolvedImports[key]) return { ...resolvedImports[key], shortCircuit: true }
    const found = resolved(specifier, context, next)
    if (key && isPackage(found.url)) {
      resolvedImports[key] = { url: found.url, format: found.format }
      hasNewImports = true
    }
    return found
  },
  load(url, context, next) {
    if (!url.startsWith('file:') || !/\.tsx?(\?|$)/.test(url)) return next(url, context)
    return { format: 'module', shortCircuit: true, source: compiled(fileURLToPath(url)) }
  },
})
process.once('exit', writeResolved)

/**
 * The TypeScript file of a project that an import names as a compiled one; undefined for all else. Node.js
 * by itself would look for the compiled one, and make an error with a stack of its absence.
 */
function ownFile(specifier, parentURL) {
  if (!parentURL.startsWith('file:') || parentURL.includes(ENGINE_BUILD)) return undefined
  const isRelative = specifier.startsWith('./') || specifier.startsWith('../')
  const target = isRelative ? new URL(specifier, parentURL).href : aliased(specifier, parentURL)
  if (target?.endsWith('.ts')) return target
  if (!target?.endsWith('.js')) return undefined
  const written = target.replace(/js$/, 'ts')
  const isThere = existsSync(fileURLToPath(written)) && !existsSync(fileURLToPath(target))
  return isThere ? written : undefined
}

/** The file that package.json gives an import with #, and that of an import of the engine. */
function aliased(specifier, parentURL) {
  const isOfEngine = isEngine(specifier)
  if (!isOfEngine && !specifier.startsWith('#')) return undefined
  const project = projectOf(dirname(fileURLToPath(parentURL)))
  if (isOfEngine) return engineFile(specifier, project)
  for (const [name, path] of aliasesOf(project)) {
    const [start, end] = name.split('*')
    const isMeant =
      end === undefined
        ? specifier === name
        : specifier.startsWith(start) && specifier.endsWith(end) && specifier.length > start.length
    if (!isMeant) continue
    if (!path.startsWith('.')) return engineFile(path, project)
    const part = specifier.slice(start.length, specifier.length - (end ?? '').length)
    const url = pathToFileURL(join(project, path.replace('*', part))).href
    if (!specifier.startsWith('#tests/') || isThere(url)) return url
  }
  const moved = !project.endsWith(ENGINE_FOLDER) && movedImport(specifier)
  if (moved) throw Object.assign(new Error(moved), { code: 'E_RUNTIME' })
  return undefined
}

/** True for a file, compiled or not. */
function isThere(url) {
  const path = fileURLToPath(url)
  return existsSync(path) || existsSync(path.replace(/js$/, 'ts'))
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
    .map(([name, path]) => [name, path[SOURCE] ?? path])
    .filter(([, path]) => typeof path === 'string' && (path.startsWith('./') || isEngine(path)))
    .toSorted((one, other) => isPattern(one) - isPattern(other) || other[0].length - one[0].length)
  ALIASES.set(project, aliases)
  return aliases
}

function isEngine(specifier) {
  return specifier === ENGINE || specifier.startsWith(`${ENGINE}/`)
}

/** The source of a public import of the engine; undefined for a project without it, as a build is. */
function engineFile(specifier, project) {
  const folder = project.endsWith(ENGINE_FOLDER) ? project : join(project, ENGINE_FOLDER)
  if (!EXPORTS.has(folder)) {
    const path = join(folder, 'package.json')
    EXPORTS.set(folder, existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')).exports : {})
  }
  const path = EXPORTS.get(folder)[`.${specifier.slice(ENGINE.length)}`]?.[SOURCE]
  return path && existsSync(join(folder, path)) ? pathToFileURL(join(folder, path)).href : undefined
}

/** Imports name compiled files, for which there may only be one in TypeScript. */
function resolved(specifier, context, next) {
  try {
    return next(specifier, context)
  } catch (error) {
    const isCompiled = error.code === 'ERR_MODULE_NOT_FOUND' && error.url?.endsWith('.js')
    if (!isCompiled) throw error
    const source = ['ts', 'tsx']
      .map((extension) => error.url.replace(/js$/, extension))
      .find((url) => existsSync(fileURLToPath(url)))
    if (!source) throw error
    return next(source, context)
  }
}

/** The key of an import of a package in the cache; undefined for a project that has other packages. */
function keyOf(specifier, { parentURL = '', conditions }, isOfPackage) {
  const kind = conditions.includes('import') ? 'import' : 'require'
  if (isOfPackage) return isPackage(parentURL) ? `${kind} ${specifier} ${parentURL}` : undefined
  if (!parentURL.startsWith('file:')) return undefined
  const project = projectOf(dirname(fileURLToPath(parentURL)))
  if (!SHARES_PACKAGES.has(project)) SHARES_PACKAGES.set(project, sharesPackages(project))
  return SHARES_PACKAGES.get(project) ? `${kind} ${specifier}` : undefined
}

/** The folder of a project's packages: that of npm's record, as a copy of a project has links to all its packages. */
function packagesOf(project) {
  const folder = join(project, 'node_modules')
  const record = join(folder, '.package-lock.json')
  return existsSync(record) ? dirname(realpathSync(record)) : realpathSync(folder)
}

/** A folder in the project, as the engine's, has those of the project. */
function sharesPackages(folder) {
  if (existsSync(join(folder, 'node_modules'))) return packagesOf(folder) === nodeModules
  const parent = dirname(folder)
  return parent !== folder && sharesPackages(parent)
}

/** True for a file of this project's packages. */
function isPackage(url) {
  return url.startsWith(PACKAGES_URL)
}

function readResolved() {
  try {
    return JSON.parse(readFileSync(resolvedFile, 'utf8'))
  } catch {
    return {}
  }
}

function writeResolved() {
  if (hasNewImports && resolvedFile) {
    writeCached(resolvedFile, JSON.stringify({ ...readResolved(), ...resolvedImports }))
  }
  if (hasCompiled) removeOld()
}

function compiled(filename) {
  const text = readFileSync(filename, 'utf8')
  const sourceFileName = basename(filename)
  const hash = hashOf(`${installation}\0${sourceFileName}\0${text}`)
  const cached = join(folder, `${hash}.js`)
  try {
    return readFileSync(cached, 'utf8')
  } catch {}

  const code = compile(text, filename, { sourceMaps: 'inline', sourceFileName })
  hasCompiled = true
  writeCached(cached, code)
  return code
}

/** Another process may read it at this moment. Without permission to write, nothing is cached. */
function writeCached(path, text) {
  const draft = `${path}.${process.pid}`
  try {
    mkdirSync(folder, { recursive: true })
    writeFileSync(draft, text)
    renameSync(draft, path)
  } catch {
    /* An unfinished draft is removed with the old files. */
  }
}

function removeOld() {
  const oldest = Date.now() - CACHED_MAX_AGE
  try {
    for (const name of readdirSync(folder)) {
      const path = join(folder, name)
      if (name !== 'v8' && modified(path) < oldest) rmSync(path, { force: true })
    }
  } catch {
    /* Another process removed the folder. */
  }
}

function hashOf(text) {
  return createHash('sha256').update(text).digest('hex')
}

/** Time of a file's last change in milliseconds; undefined if it is missing */
function modified(path) {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs
}
