/* The application's .env: created at the first start, from then on the operator's own. */
import { randomBytes } from 'node:crypto'
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PlainError, root } from './runtime.js'

const FILE = join(root, '.env')

const OTHER_DRIVER =
  'The driver sqlite3 has no binary for this machine: .env names better-sqlite3, with which slow queries block the server. To build sqlite3 (C++ compiler, make, Python 3): npm run driver:sqlite3'

/**
 * Creates .env with an APP_KEY of its own. An existing one stays as it is.
 *
 * @param {(text: string) => void} say is called when it was created
 * @param {'sqlite' | 'better-sqlite3'} driver for DB_CONNECTION of a new one
 * @throws {PlainError} when .env cannot be created, or has no APP_KEY
 */
export function ensureEnvironment(say = console.log, driver = 'sqlite') {
  if (read('.env') === undefined) {
    create(driver)
    say('Created .env with its own APP_KEY.')
    if (driver !== 'sqlite') say(OTHER_DRIVER)
  } else if (setting('APP_KEY') === '') {
    throw new PlainError('APP_KEY is empty in .env: make one with `node ace generate:key`.')
  }
}

/**
 * The value that the application will read for a variable: the environment comes before .env. Undefined
 * if neither has it.
 */
export function setting(name) {
  if (process.env[name]) return process.env[name]
  const line = new RegExp(`^[ \\t]*(?:export[ \\t]+)?${name}[ \\t]*=(.*)$`, 'm').exec(read('.env'))
  return line?.[1].trim().replace(/^(["'])(.*)\1$/, '$2')
}

function create(driver) {
  const example = read('.env.example')
  if (example === undefined) {
    throw new PlainError('.env.example is missing: restore it, as in `git checkout .env.example`.')
  }

  const key = randomBytes(32).toString('base64url')
  const content = example
    .replace(/^APP_KEY=.*$/m, `APP_KEY=${key}`)
    .replace(/^DB_CONNECTION=sqlite$/m, `DB_CONNECTION=${driver}`)

  /* Written atomically, and never over a file that another start has just created. */
  const draft = `${FILE}.${process.pid}`
  try {
    writeFileSync(draft, content, { mode: 0o600 })
    linkSync(draft, FILE)
  } catch (error) {
    if (error.code !== 'EEXIST') {
      throw new PlainError(
        `${FILE} can't be created (${error.code}): give this user the right to write there.`
      )
    }
  } finally {
    rmSync(draft, { force: true })
  }
}

function read(name) {
  try {
    return readFileSync(join(root, name), 'utf8')
  } catch (error) {
    if (error.code === 'ENOENT') return undefined
    throw new PlainError(`${join(root, name)} can't be read (${error.code}): check its rights.`)
  }
}
