/*
 * The driver `sqlite3` has no binary for every machine, and compiling one takes minutes and a compiler. A fresh
 * clone works with `better-sqlite3`, which brings its binaries, where none can be downloaded.
 *
 * `npm run driver:sqlite3` runs this file and makes the binary.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setting } from './environment.js'
import { npm } from './npm.js'
import { PlainError, root, run } from './runtime.js'

const FOLDER = join(root, 'node_modules', 'sqlite3')
const BINARY = join(FOLDER, 'build', 'Release', 'node_sqlite3.node')

/** Milliseconds to wait for a download */
const PATIENCE = 20_000

/** True if the driver can be used. */
export function hasSqlite3() {
  return existsSync(BINARY)
}

/** Downloads the binary, if there is one for this machine and its place can be reached. */
export async function fetchSqlite3() {
  if (hasSqlite3() || !existsSync(FOLDER)) return
  const bin = join(root, 'node_modules', 'prebuild-install', 'bin.js')
  const options = { cwd: FOLDER, onOutput: () => {}, timeout: PATIENCE }
  await run(process.execPath, [bin, '-r', 'napi'], options)
}

/**
 * Compiles the driver if the application uses it and its binary is missing.
 *
 * @param {(text: string) => void} say is called when that takes a while
 * @throws {PlainError} when it can't be compiled
 */
export async function ensureDriver(say = console.log) {
  if ((setting('DB_CONNECTION') ?? 'sqlite') === 'sqlite') await ensureSqlite3(say)
}

/**
 * Downloads or compiles the driver if its binary is missing.
 *
 * @param {(text: string) => void} say is called when that takes a while
 * @throws {PlainError} when it can't be compiled
 */
export async function ensureSqlite3(say = console.log) {
  await fetchSqlite3()
  if (hasSqlite3()) return
  say(
    'Compiling the driver sqlite3, which takes some minutes (better-sqlite3 needs no compiler) ...'
  )
  const { file, args, env } = npm()
  let output = ''
  const shell = process.platform === 'win32' && file === 'npm'
  const options = { cwd: FOLDER, env, shell, onOutput: (chunk) => (output += chunk) }
  const status = await run(file, [...args, 'run', 'install'], options)
  if (status === 0 && hasSqlite3()) return
  console.error(output.trimEnd().split('\n').slice(-25).join('\n'))
  throw new PlainError(
    'The driver sqlite3 could not be compiled: install a C++ compiler, make and Python 3, or use DB_CONNECTION=better-sqlite3 in .env, which needs none of them.'
  )
}

/* Not `import.meta.main`, which older versions of Node.js do not have */
if (process.argv[1]?.endsWith('sqlite_driver.js')) {
  try {
    await ensureSqlite3()
    console.log('The driver sqlite3 is ready: DB_CONNECTION=sqlite in .env uses it.')
  } catch (error) {
    if (!(error instanceof PlainError)) throw error
    console.error(error.message)
    process.exitCode = error.exitCode
  }
}
