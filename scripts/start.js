/* `npm start`: runs the missing steps from a fresh clone to a listening server. */
import { accessSync, constants, mkdirSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { ensureEnvironment, setting } from './environment.js'
import { ensureInstalled } from './install.js'
import { ensureDriver, hasSqlite3 } from './sqlite_driver.js'
import { PlainError, root, runWithSuitableNode } from './runtime.js'

/* With this npm can fetch the Node.js that the application needs. */
const OLDEST_MAJOR = 20

/** As `node ace serve` sets it: @adonisjs/vite then serves assets without a build. */
const DEVELOPMENT = { DEV_MODE: 'true' }

process.chdir(root)
try {
  ensureThisNodeCanInstall()
  await ensureInstalled()
  ensureEnvironment(console.log, hasSqlite3() ? 'sqlite' : 'better-sqlite3')
  await ensureDriver()
  /* Only after the installation, as other users may run the installed packages. */
  if (!['true', '1'].includes(setting('DB_SHARED'))) process.umask(0o077)
  ensureDatabaseFolder()
  process.exitCode = await runWithSuitableNode(
    ['--import=./scripts/loader.js', 'bin/server.ts', '--prepare'],
    { env: { ...process.env, ...(isInProduction() ? {} : DEVELOPMENT) } }
  )
} catch (error) {
  if (!(error instanceof PlainError)) throw error
  console.error(error.message)
  process.exitCode = error.exitCode
}

function isInProduction() {
  return ['production', 'prod'].includes(setting('NODE_ENV'))
}

function ensureThisNodeCanInstall() {
  if (Number.parseInt(process.versions.node, 10) < OLDEST_MAJOR) {
    throw new PlainError(
      `This is Node.js ${process.versions.node}: install 24 or newer and start again.`
    )
  }
}

/** For a folder without write permission, SQLite only reports that it cannot open the file. */
function ensureDatabaseFolder() {
  if (!setting('DB_CONNECTION')?.includes('sqlite')) return
  const folder = dirname(resolve(root, setting('DB_DATABASE') || 'tmp/db.sqlite3'))
  try {
    mkdirSync(folder, { recursive: true })
    accessSync(folder, constants.W_OK)
  } catch (error) {
    throw new PlainError(
      `The database's folder ${folder} can't be written (${error.code}): give this user the right to, or choose another place with DB_DATABASE in .env.`
    )
  }
}
