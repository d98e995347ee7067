/* `npm test -- --changed`: finds the test files that import what has changed, directly or through other files. */
import { execFileSync } from 'node:child_process'
import { readImports } from './lint_imports.js'
import { PlainError, root } from './runtime.js'

const FOLDERS = ['packages/atrium/src', 'packages/atrium/tests', 'tests']

/** They put the parts of the engine together: nearly every test imports them, whatever it tests. */
const FACES = /\/(?:\w*provider|admin_site|capabilities|index|internals|register)\.ts$/

/**
 * @param {string} revision  what has changed since then counts, and what git does not track yet
 * @param {string} folder    of the project
 * @returns {Promise<{ files: string[], untested: string[] }>} the test files, and changed files that none of them imports
 * @throws {PlainError} if git does not know the revision
 */
export async function findChangedTests(revision = 'HEAD', folder = root) {
  const changed = changedFiles(revision, folder)
  const importers = new Map()
  for (const { source, dependencies } of await readImports(folder, FOLDERS)) {
    for (const { resolved } of dependencies) {
      importers.set(resolved, [...(importers.get(resolved) ?? []), source])
    }
  }
  const testsOf = (file) => {
    const found = new Set([file])
    for (const one of found) {
      if (one === file || !FACES.test(one)) importers.get(one)?.forEach((other) => found.add(other))
    }
    return [...found].filter((one) => one.endsWith('.spec.ts'))
  }
  return {
    files: [...new Set(changed.flatMap(testsOf))],
    untested: changed.filter((file) => testsOf(file).length === 0),
  }
}

function changedFiles(revision, cwd) {
  const git = (...args) => execFileSync('git', args, { cwd, encoding: 'utf8', stdio: 'pipe' })
  try {
    const tracked = git('diff', '--name-only', '--diff-filter=d', '--end-of-options', revision)
    const others = git('ls-files', '--others', '--exclude-standard')
    return `${tracked}${others}`.split('\n').filter(Boolean)
  } catch ({ stderr, message }) {
    throw new PlainError(`--changed: ${(stderr || message).trim()}`)
  }
}
