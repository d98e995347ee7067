import { execFileSync, type ChildProcess } from 'node:child_process'
import { chmodSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { createConnection } from 'mysql2/promise'
import { freePort } from '#tests/helpers/free_port'
import type { DatabaseServer } from './databases.js'
import { accountFor, endProgram, findProgram, giveTo, startProgram } from './programs.js'

const PLACES = ['/usr/sbin', '/usr/libexec', '/usr/local/sbin']

/**
 * Starts a MariaDB with its data in the directory and default durability.
 *
 * @throws MissingProgram
 */
export async function mariadbServer(folder: string): Promise<DatabaseServer> {
  const install = findProgram('mariadb-install-db', PLACES)
  const mariadbd = findProgram('mariadbd', PLACES)
  const account = accountFor('mysql')
  const data = join(folder, 'mariadb')
  chmodSync(folder, 0o755)
  mkdirSync(data, { mode: 0o700 })
  giveTo(data, account)
  execFileSync(
    install,
    [
      '--no-defaults',
      `--datadir=${data}`,
      '--auth-root-authentication-method=normal',
      '--skip-test-db',
    ],
    { ...account, cwd: '/', stdio: ['ignore', 'ignore', 'pipe'] }
  )
  const port = await freePort()
  const server = { host: '127.0.0.1', port, user: 'root' }
  let child: ChildProcess | undefined

  return {
    variables: {
      DB_CONNECTION: 'mysql',
      DB_HOST: '127.0.0.1',
      DB_PORT: String(port),
      DB_USER: 'root',
      DB_PASSWORD: '',
      DB_DATABASE: 'atrium',
    },
    connection: { client: 'mysql2', connection: { ...server, database: 'atrium' } },
    async start() {
      const args = [
        '--no-defaults',
        `--datadir=${data}`,
        `--port=${port}`,
        `--socket=${join(data, 'socket')}`,
        '--bind-address=127.0.0.1',
        '--character-set-server=utf8mb4',
      ]
      child = await startProgram(mariadbd, args, {
        account,
        async responses() {
          const connection = await createConnection(server)
          await connection.query('create database if not exists atrium')
          await connection.end()
        },
      })
    },
    crash: () => endProgram(child, 'SIGKILL'),
  }
}
