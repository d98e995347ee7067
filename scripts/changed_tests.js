/* `npm test -- --changed`: the test files that import a changed file, directly or through others. */
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { PlainError } from './runtime.js'

const ENGINE = 'packages/atrium/'

/** Folders of the files that import each other */
const FOLDERS = [
  'app',
  'config',
  'database',
  'start',
  'tests',
  `${ENGINE}src`,
  `${ENGINE}tests`,
  `${ENGINE}migrations`,
]

/** Imports at runtime: those of types change no result. */
const IMPORT =
  /^(?:import(?! type\b)|export(?! type\b)|\} from)[^'\n]*?'([^'\n]+)'|\bimport\('([^'\n]+)'\)/gm

/**
 * @param tests  paths of all test files
 * @returns those that a change reaches, each with whether it has changed itself
 * @throws PlainError  without git
 */
export function reachedTests(tests, changed = changedFiles()) {
  const reached = new Set(changed)
  const importers = importersOf(FOLDERS.flatMap(filesIn))
  /* A set is iterated to its end, with what is added on the way. */
  for (const file of reached) for (const one of importers.get(file) ?? []) reached.add(one)
  return new Map(
    tests.filter((file) => reached.has(file)).map((file) => [file, changed.includes(file)])
  )
}

/** Paths of files that differ from where the branch left main, or from HEAD on main or without one; new ones, too. */
export function changedFiles(root = '.') {
  const git = (...args) =>
    execFileSync('git', ['-c', 'safe.directory=*', ...args], {
      cwd: root,
      encoding: 'utf8',
      stdio: 'pipe',
    })
  let base = 'HEAD'
  try {
    base = git('merge-base', 'HEAD', 'main').trim()
  } catch {
    /* The branch main does not exist. */
  }
  try {
    const output =
      git('diff', '--name-only', base) + git('ls-files', '--others', '--exclude-standard')
    return [...new Set(output.split('\n').filter(Boolean))]
  } catch (error) {
    throw new PlainError(`--changed needs git and a commit to compare with: ${error.message}`)
  }
}

/** The files that import each file */
function importersOf(files) {
  const packages = ['', ENGINE].map((folder) => ({
    folder,
    ...JSON.parse(readFileSync(`${folder}package.json`, 'utf8')),
  }))
  const importers = new Map()
  for (const file of files) {
    for (const [, one, other] of readFileSync(file, 'utf8').matchAll(IMPORT)) {
      const imported = pathOf(one ?? other, file, packages)
      if (imported) importers.set(imported, [...(importers.get(imported) ?? []), file])
    }
  }
  return importers
}

/** The TypeScript file that an import names; undefined for one of another package */
function pathOf(specifier, file, packages) {
  const [application, engine] = packages
  if (specifier.startsWith('.')) return sourceOf(join(dirname(file), specifier))
  if (specifier.startsWith('#')) {
    const { folder, imports } = file.startsWith(ENGINE) ? engine : application
    const target = targetOf(specifier, imports)
    return target && pathOf(target, `${folder}package.json`, packages)
  }
  const [name, rest] = [specifier.slice(0, engine.name.length), specifier.slice(engine.name.length)]
  const target = name === engine.name ? targetOf(`.${rest}`, engine.exports) : undefined
  return target && sourceOf(join(ENGINE, target))
}

/** What `imports` or `exports` of a package.json give for a name */
function targetOf(name, entries) {
  for (const [pattern, value] of Object.entries(entries)) {
    const [start, isPrefix] = pattern.split('*')
    if (isPrefix === undefined ? name !== pattern : !name.startsWith(start)) continue
    return (value['atrium-source'] ?? value.default ?? value).replace('*', name.slice(start.length))
  }
  return undefined
}

function sourceOf(path) {
  return path.replace(/\.js$/, '.ts')
}

function filesIn(folder) {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { recursive: true })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => join(folder, path))
}
