/*
 * Installs the packages if they are missing or package-lock.json has changed, and a Node.js where the running
 * one is too old. Otherwise a start works without npm and without a network.
 */
import { createHash } from 'node:crypto'
import { accessSync, constants, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { constants as system } from 'node:os'
import { join } from 'node:path'
import { npm } from './npm.js'
import { installedNode, needsOtherRuntime, nodeFolder, PlainError, root, run } from './runtime.js'
import { fetchSqlite3 } from './sqlite_driver.js'

const LOCK = join(root, 'package-lock.json')
const NODE_MODULES = join(root, 'node_modules')

/** Hash of the package-lock.json of our last complete installation */
const MARKER = join(NODE_MODULES, '.atrium-lock-hash')

/** npm's own record of a complete installation */
const INSTALLED_LOCK = join(NODE_MODULES, '.package-lock.json')

const TAIL_LINES = 25

/**
 * Makes node_modules match package-lock.json.
 *
 * @param {(text: string) => void} say is called when that takes a while
 * @throws {PlainError} when the installation fails
 */
export async function ensureInstalled(say = console.log) {
  const lock = readIfThere(LOCK)
  if (lock === undefined) {
    throw new PlainError(
      'package-lock.json is missing: restore it, as in `git checkout package-lock.json`.'
    )
  }

  await ensurePackages(lock, say)
  await ensureNode(say)
}

/**
 * Installs a Node.js if the running one is too old.
 *
 * @param {(text: string) => void} say is called when that takes a while
 * @throws {PlainError} when the installation fails
 */
export async function ensureNode(say = console.log) {
  if (!needsOtherRuntime() || installedNode()) return
  const text = `Installing Node.js 24 (this is ${process.versions.node}) ...`
  await install(nodeFolder, '--ignore-scripts=false', text, say)
  if (!installedNode()) {
    throw new PlainError(
      'Node.js 24 could not be installed: npm refused its install script. Install Node.js 24 or newer.'
    )
  }
}

async function ensurePackages(lock, say) {
  const hash = createHash('sha256').update(lock).digest('hex')
  if (readIfThere(MARKER) === hash) return

  if (!isInstalled(lock)) {
    /* From here on, an interrupted installation must not pass for a complete one. */
    const begin = () => [MARKER, INSTALLED_LOCK].forEach((path) => rmSync(path, { force: true }))
    /* Of their scripts only that of sqlite3 matters here, and not every machine can run it. */
    const withoutScripts = '--ignore-scripts'
    await install(root, withoutScripts, 'Installing packages (first start) ...', say, begin)
    await fetchSqlite3()
  }
  try {
    writeFileSync(MARKER, hash)
  } catch {
    /* Without the marker the next start compares again, which works in a read-only folder as well. */
  }
}

/**
 * True if exactly these packages were installed already, by `npm ci` or `npm install`. Optional ones are
 * for other machines.
 */
function isInstalled(lock) {
  const installed = readIfThere(INSTALLED_LOCK)
  if (!installed) return false

  const present = JSON.parse(installed).packages
  return Object.entries(JSON.parse(lock).packages).every(([path, { version, optional }]) => {
    if (path === '' || optional) return true
    return present[path]?.version === version && existsSync(join(root, path))
  })
}

/** Runs `npm ci` in a folder, with or without the scripts of packages. */
async function install(folder, scripts, text, say, begin) {
  try {
    accessSync(folder, constants.W_OK)
  } catch {
    throw new PlainError(`The packages can't be installed below ${folder}: ${RIGHTS}`)
  }
  say(text)
  begin?.()

  const { file, args, env } = npm()
  let output = ''
  let interruption
  let status
  try {
    status = await run(
      file,
      [
        ...args,
        'ci',
        /* also if NODE_ENV=production or npm's own settings leave out packages that a start needs */
        '--include=dev',
        scripts,
        /* npm may run on the machine's older Node.js; the packages do not */
        '--engine-strict=false',
        '--prefer-offline',
        '--no-audit',
        '--no-fund',
        '--loglevel=error',
      ],
      {
        cwd: folder,
        env,
        shell: process.platform === 'win32' && file === 'npm',
        onOutput: (chunk) => (output += chunk),
        onSignal: (signal) => (interruption = signal),
      }
    )
  } catch (error) {
    throw new PlainError(
      error.code === 'ENOENT'
        ? 'npm was not found: install it (it comes with Node.js) and start again.'
        : `npm can't be started: ${error.message}`
    )
  }

  if (status === 0) return
  if (interruption) {
    const error = new PlainError('The installation was interrupted; the next start repeats it.')
    error.exitCode = 128 + system.signals[interruption]
    throw error
  }
  console.error(output.trimEnd().split('\n').slice(-TAIL_LINES).join('\n'))
  throw new PlainError(whyInstallFailed(output, status))
}

const RIGHTS = 'give this user the right to write there.'

const REASONS = [
  [/\b(EACCES|EROFS|EPERM)\b/, `A folder can't be written: ${RIGHTS}`],
  [/\bENOSPC\b/, 'The disk is full: make room and start again.'],
  [/\bEINTEGRITY\b/, 'A downloaded package is damaged: run `npm cache verify` and start again.'],
  [
    /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ERR_SOCKET_TIMEOUT)\b/,
    "The package registry can't be reached: check the network, or npm's proxy settings, and start again.",
  ],
  [
    /package\.json and package-lock\.json .* in sync/,
    'package.json and package-lock.json do not match: run `npm install` to bring them in line.',
  ],
]

function whyInstallFailed(output, status) {
  const known = REASONS.find(([pattern]) => pattern.test(output))
  const reason = known?.[1] ?? `npm ci ended with status ${status}; its last lines are above.`
  return `The packages could not be installed. ${reason}`
}

function readIfThere(path) {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined
    throw new PlainError(`${path} can't be read (${error.code}): check its rights.`)
  }
}
