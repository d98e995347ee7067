import { signIn } from './client.js'
import type { Server } from './server.js'

const PASSWORD = 'correct horse'

/**
 * Creates a superuser and signs them in.
 *
 * @returns the cookies
 */
export async function signInAs(server: Server, username: string): Promise<string> {
  await server.ace(['admin:create', `--username=${username}`, '--password-stdin'], PASSWORD)
  return await signIn(server.origin, username, PASSWORD)
}
