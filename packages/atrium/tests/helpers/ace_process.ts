import { spawn } from 'node:child_process'
import app from '@adonisjs/core/services/app'

/**
 * Runs `node ace ...` in a process without a terminal.
 *
 * @param input     standard input
 * @param database  file of the database; default: that of the tests
 * @param heap      megabytes that the process may use for what lives; default: no limit
 */
export async function runAce(
  args: string[],
  {
    input = '',
    database,
    heap,
  }: { input?: string | Uint8Array; database?: string; heap?: number } = {}
): Promise<{ status: number | null; out: string; err: string }> {
  const env = { ...process.env, ...(database === undefined ? {} : { DB_DATABASE: database }) }
  const flags = heap === undefined ? [] : [`--max-old-space-size=${heap}`]
  const child = spawn(process.execPath, [...flags, 'ace.js', ...args], { cwd: app.makePath(), env })
  let out = ''
  let err = ''
  child.stdout.on('data', (chunk) => (out += chunk))
  child.stderr.on('data', (chunk) => (err += chunk))
  /* A command that does not read its input may exit before it is written. */
  child.stdin.on('error', () => {}).end(input)
  const status = await new Promise<number | null>((resolve) => child.once('close', resolve))
  return { status, out, err }
}
