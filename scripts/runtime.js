/*
 * Chooses the Node.js that runs the application. AdonisJS needs 24; where the machine's is older, scripts/install.js
 * installs the npm package `node` in scripts/node. These scripts themselves run on both.
 */
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { constants } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('..', import.meta.url))

/** The folder of the package.json that names the Node.js to install */
export const nodeFolder = join(root, 'scripts', 'node')

const REQUIRED_MAJOR = 24

/** An error with a complete message: it is printed without a stack. */
export class PlainError extends Error {
  exitCode = 1
}

/** True when this process runs on a Node.js that is too old for the application. */
export function needsOtherRuntime() {
  return Number.parseInt(process.versions.node, 10) < REQUIRED_MAJOR
}

/** Path of the Node.js that was installed because the running one is too old; undefined if it is missing. */
export function installedNode() {
  const name = process.platform === 'win32' ? 'node.exe' : 'node'
  const path = join(nodeFolder, 'node_modules', 'node', 'bin', name)
  return existsSync(path) ? path : undefined
}

/** Runs Node.js with these arguments, the running one if it is new enough, and resolves with its exit status. */
export async function runWithSuitableNode(args, { env = process.env, ...options } = {}) {
  const node = needsOtherRuntime() ? installedNode() : process.execPath
  if (!node) {
    console.error(
      `This is Node.js ${process.versions.node}; the application needs ${REQUIRED_MAJOR} or newer, which \`npm start\` installs.`
    )
    return 1
  }
  return run(node, args, { env: withLocalBinaries(env, node), ...options })
}

/**
 * Runs a program and resolves with its exit status; 128 plus the signal's number if a signal ended it,
 * as in a shell. With `onOutput` its output goes there instead of to the terminal; `onSignal` is called
 * with the signals that were passed on.
 */
export function run(file, args, { env = process.env, onOutput, onSignal, ...options } = {}) {
  return new Promise((resolve, reject) => {
    const stdio = onOutput ? ['ignore', 'pipe', 'pipe'] : 'inherit'
    const child = spawn(file, args, { env, stdio, ...options })
    child.stdout?.on('data', onOutput)
    child.stderr?.on('data', onOutput)

    /*
     * A signal to this process is meant for the program, which ends in its own way; this process ends
     * after it.
     */
    const forward = (signal) => {
      onSignal?.(signal)
      child.kill(signal)
    }
    const signals = ['SIGINT', 'SIGTERM', 'SIGHUP']
    signals.forEach((signal) => process.on(signal, forward))

    /* A signal to npm reaches only its shell, which dies without passing it on. */
    const parent = process.ppid
    const watch = setInterval(() => process.ppid !== parent && forward('SIGTERM'), 500)
    if (!process.env.npm_lifecycle_event) clearInterval(watch)

    const release = () => {
      clearInterval(watch)
      signals.forEach((signal) => process.off(signal, forward))
    }

    child.once('error', (error) => {
      release()
      reject(error)
    })
    child.once('close', (code, signal) => {
      release()
      resolve(code ?? 128 + constants.signals[signal])
    })
  })
}

/** Programs that a child starts by name are those of node_modules, and `node` is the given one. */
function withLocalBinaries(env, node) {
  const name = pathVariable(env)
  const binaries = [dirname(node), join(root, 'node_modules', '.bin')]
  return { ...env, [name]: [...binaries, env[name]].filter(Boolean).join(delimiter) }
}

/** The name of the PATH variable, which Windows spells `Path`. */
export function pathVariable(env) {
  return Object.keys(env).find((name) => name.toUpperCase() === 'PATH') ?? 'PATH'
}
