import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { chownSync, existsSync, globSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { once } from 'node:events'

/** A required program is not installed. */
export class MissingProgram extends Error {}

/**
 * Path of a program: on PATH, or in one of the other places, of which the last counts as the
 * newest.
 *
 * @throws MissingProgram
 */
export function findProgram(name: string, places: string[] = []): string {
  const candidates = [
    ...places.flatMap((place) => globSync(join(place, name)).toSorted().toReversed()),
    ...(process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, name)),
  ]
  const found = candidates.find((path) => existsSync(path))
  if (!found) throw new MissingProgram(`${name} is not on this machine`)
  return found
}

/** Account for database servers, which refuse to run as root. */
export interface Account {
  uid: number
  gid: number
}

/**
 * @returns the account of that name if this process runs as root, else undefined
 */
export function accountFor(name: string): Account | undefined {
  if (process.getuid!() !== 0) return undefined
  const id = (flag: string) => Number(execFileSync('id', [flag, name], { encoding: 'utf8' }))
  return { uid: id('-u'), gid: id('-g') }
}

export function giveTo(path: string, account: Account | undefined): void {
  if (account) chownSync(path, account.uid, account.gid)
}

/**
 * Starts a server and waits until it responds.
 *
 * @throws Error  with the end of its output, if it exits first
 */
export async function startProgram(
  file: string,
  args: string[],
  { account, responses }: { account?: Account; responses: () => Promise<unknown> }
): Promise<ChildProcess> {
  const child = spawn(file, args, { ...account, stdio: ['ignore', 'pipe', 'pipe'], cwd: '/' })
  let output = ''
  child.stdout!.on('data', (chunk) => (output += chunk))
  child.stderr!.on('data', (chunk) => (output += chunk))
  const end = performance.now() + 60_000
  for (;;) {
    const isUp = await responses().then(
      () => true,
      () => false
    )
    if (isUp) return child
    if (child.exitCode !== null || performance.now() > end) {
      throw new Error(`${file} did not start:\n${output.slice(-2000)}`)
    }
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

export async function endProgram(
  child: ChildProcess | undefined,
  signal: NodeJS.Signals
): Promise<void> {
  if (!child || child.exitCode !== null || child.signalCode !== null) return
  child.kill(signal)
  await once(child, 'exit')
}
