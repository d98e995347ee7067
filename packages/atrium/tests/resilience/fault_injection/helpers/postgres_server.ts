import { execFileSync, type ChildProcess } from 'node:child_process'
import { chmodSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { freePort } from '#tests/helpers/free_port'
import type { DatabaseServer } from './databases.js'
import { accountFor, endProgram, findProgram, giveTo, startProgram } from './programs.js'

const PLACES = [
  '/usr/lib/postgresql/*/bin',
  '/usr/pgsql-*/bin',
  '/opt/homebrew/opt/postgresql*/bin',
]

/**
 * Starts a PostgreSQL with its data in the directory and default durability.
 *
 * @throws MissingProgram
 */
export async function postgresServer(folder: string): Promise<DatabaseServer> {
  const initdb = findProgram('initdb', PLACES)
  const postgres = findProgram('postgres', PLACES)
  const account = accountFor('postgres')
  const data = join(folder, 'postgres')
  chmodSync(folder, 0o755)
  mkdirSync(data, { mode: 0o700 })
  giveTo(data, account)
  execFileSync(
    initdb,
    ['-D', data, '-U', 'atrium', '--auth=trust', '--encoding=UTF8', '--locale=C'],
    {
      ...account,
      cwd: '/',
      stdio: ['ignore', 'ignore', 'pipe'],
    }
  )
  const port = await freePort()
  const connection = { host: '127.0.0.1', port, user: 'atrium', database: 'postgres' }
  let child: ChildProcess | undefined

  return {
    variables: {
      DB_CONNECTION: 'postgres',
      DB_HOST: '127.0.0.1',
      DB_PORT: String(port),
      DB_USER: 'atrium',
      DB_PASSWORD: '',
      DB_DATABASE: 'postgres',
    },
    connection: { client: 'pg', connection },
    async start() {
      const args = ['-D', data, '-p', String(port), '-c', 'listen_addresses=127.0.0.1']
      child = await startProgram(postgres, [...args, '-c', 'unix_socket_directories='], {
        account,
        async responses() {
          const client = new pg.Client(connection)
          client.on('error', () => {})
          await client.connect()
          await client.end()
        },
      })
    },
    /* SIGQUIT ends it and its children without cleanup: the next start recovers. */
    crash: () => endProgram(child, 'SIGQUIT'),
  }
}
