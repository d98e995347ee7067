import { Hash } from '@adonisjs/core/hash'
import { Scrypt } from '@adonisjs/core/hash/drivers/scrypt'
import type { BenchUser } from './bench_database.js'
import type { ServerProcess } from './server_process.js'

const USER = { username: 'bench', password: 'a password of the benchmark' }

/** The user to log in. */
export async function benchUser(): Promise<BenchUser> {
  const hashedPassword = await new Hash(new Scrypt({})).make(USER.password)
  return { username: USER.username, hashedPassword }
}

/**
 * @returns the cookies of a browser that is signed in
 */
export async function signIn({ name, origin }: ServerProcess): Promise<string> {
  const response = await fetch(`${origin}/admin/login`, {
    method: 'POST',
    body: new URLSearchParams(USER),
    redirect: 'manual',
  })
  if (response.status >= 400 || response.headers.getSetCookie().length === 0) {
    throw new Error(`Nobody can sign in to "${name}": it answers ${response.status}`)
  }
  return response.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';', 1)[0])
    .join('; ')
}
