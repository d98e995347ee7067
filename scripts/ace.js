/*
 * Prepares a fresh clone for `node ace` before the first `npm start`: the same packages and the same
 * .env. Standard output is left to the command.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { ensureEnvironment } from './environment.js'
import { ensureInstalled, ensureNode } from './install.js'
import { PlainError, root } from './runtime.js'
import { hasSqlite3 } from './sqlite_driver.js'

/**
 * Installs packages and creates .env if needed. The setup of an operator, and a production build, stay
 * as they are.
 *
 * @returns true if the command can run
 */
export async function makeReady() {
  if (!existsSync(join(root, 'adonisrc.ts'))) return true
  try {
    if (!existsSync(join(root, 'node_modules'))) await ensureInstalled(console.error)
    await ensureNode(console.error)
    /* As `npm test` does: .env.test names sqlite. */
    if (process.argv[2] === 'test' && !hasSqlite3()) process.env.DB_CONNECTION ??= 'better-sqlite3'
    const isMissing = !existsSync(join(root, '.env'))
    if (isMissing && process.env.NODE_ENV === undefined) {
      ensureEnvironment(console.error, hasSqlite3() ? 'sqlite' : 'better-sqlite3')
    }
    return true
  } catch (error) {
    if (!(error instanceof PlainError)) throw error
    console.error(error.message)
    return false
  }
}
