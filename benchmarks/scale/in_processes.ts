import { spawnSync } from 'node:child_process'

/**
 * Runs a script for each driver, one after the other; fails where one does.
 */
export async function inProcesses(drivers: readonly string[], script: string): Promise<void> {
  for (const driver of drivers) {
    const args = [...process.execArgv, script, ...process.argv.slice(2), `--driver=${driver}`]
    const { status } = spawnSync(process.execPath, args, { stdio: 'inherit' })
    if (status !== 0) process.exitCode = 1
  }
}
