import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const MAIN = fileURLToPath(new URL('../main.ts', import.meta.url))

/**
 * Runs the command once per driver, in sequential processes. Sets the exit status to 1 if one of
 * them fails.
 *
 * @param args  arguments of the command; `--driver=NAME` is added
 */
export function inProcesses(drivers: readonly string[], args: readonly string[]): void {
  for (const driver of drivers) {
    const command = [...process.execArgv, MAIN, ...args, `--driver=${driver}`]
    const { status } = spawnSync(process.execPath, command, { stdio: 'inherit' })
    if (status !== 0) process.exitCode = 1
  }
}
