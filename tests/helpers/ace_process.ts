import { spawn } from 'node:child_process'
import app from '@adonisjs/core/services/app'

/**
 * Runs `node ace ...` as a process of its own, which sees no terminal.
 *
 * @param input     what standard input holds
 * @param database  file of the database; the tests' own if left out
 */
export async function runAce(
  args: string[],
  { input = '', database }: { input?: string | Uint8Array; database?: string } = {}
): Promise<{ status: number | null; out: string; err: string }> {
  const env = { ...process.env, ...(database === undefined ? {} : { DB_DATABASE: database }) }
  const child = spawn(process.execPath, ['ace.js', ...args], { cwd: app.makePath(), env })
  let out = ''
  let err = ''
  child.stdout.on('data', (chunk) => (out += chunk))
  child.stderr.on('data', (chunk) => (err += chunk))
  /* A command that does not read its input may have ended before it is written. */
  child.stdin.on('error', () => {}).end(input)
  const status = await new Promise<number | null>((resolve) => child.once('close', resolve))
  return { status, out, err }
}
