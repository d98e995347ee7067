/*
 * Creates a separate, empty database for each test run and removes it afterwards. TEST_DATABASE
 * selects the kind: sqlite (the default), better-sqlite3, postgres or mysql; the last two need a
 * server in TEST_POSTGRES_URL or TEST_MYSQL_URL, as in postgres://postgres@127.0.0.1:5432/postgres.
 */
import { join } from 'node:path'

export type TestDatabase = 'sqlite' | 'better-sqlite3' | 'postgres' | 'mysql'

const SERVERS = {
  postgres: { variable: 'TEST_POSTGRES_URL', connect: connectToPostgres },
  mysql: { variable: 'TEST_MYSQL_URL', connect: connectToMysql },
}

interface Server {
  run(sql: string): Promise<unknown>
  databases(): Promise<string[]>
  drop(name: string): Promise<unknown>
  end(): Promise<unknown>
}

/**
 * Sets the application's environment to a new database. Call it before the environment is read.
 *
 * @returns a function that removes the database; a file at a given path stays
 */
export async function useTestDatabase(): Promise<() => Promise<void>> {
  const kind = (process.env.TEST_DATABASE || 'sqlite') as TestDatabase
  const folder = process.env.TEST_FOLDER ?? join('tmp', `test-${process.pid}`)
  process.env.STORAGE_DIRECTORY = join(folder, 'storage')
  process.env.DB_CONNECTION = kind
  if (kind !== 'postgres' && kind !== 'mysql') {
    process.env.DB_DATABASE = join(folder, 'db.sqlite3')
    return async () => {}
  }

  const { environment, remove } = await createServerDatabase(kind)
  Object.assign(process.env, environment)
  return remove
}

/**
 * Creates a database on a server, with a name unique to this process.
 *
 * @param suffix  for a second database of the run
 * @returns environment variables for the application, and a function that removes it
 */
export async function createServerDatabase(kind: keyof typeof SERVERS, suffix = '') {
  const { variable, connect } = SERVERS[kind]
  const text = process.env[variable]
  if (!text) throw new Error(`${variable} must name a server to test ${kind} on`)
  const url = new URL(text)
  const name = `atrium_test_${process.pid}${suffix}`
  const server = await connect(url)
  await removeAbandoned(server, name)
  await createDatabase(server, kind, name)
  await server.end()

  const environment = {
    DB_CONNECTION: kind as string,
    DB_HOST: url.hostname,
    DB_PORT: url.port,
    DB_USER: decodeURIComponent(url.username),
    DB_PASSWORD: decodeURIComponent(url.password),
    DB_DATABASE: name,
  }
  const remove = async () => {
    const last = await connect(url)
    await last.drop(name)
    await last.end()
  }
  return { environment, remove }
}

/** Removes databases of killed runs: each is named after its process. */
async function removeAbandoned(server: Server, wanted: string) {
  for (const name of await server.databases()) {
    const pid = Number(/^atrium_test_(\d+)(?:_\w+)?$/.exec(name)?.[1])
    if (name === wanted || (pid && !isRunning(pid))) await server.drop(name)
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}

/**
 * With a collation other than the engine's, where the server has one: it must not affect responses.
 * [A18]
 */
async function createDatabase(server: Server, kind: TestDatabase, name: string) {
  if (kind === 'mysql') {
    return await server.run(
      `create database ${name} character set utf8mb4 collate utf8mb4_general_ci`
    )
  }
  const plain = `create database ${name} template template0 encoding 'UTF8'`
  try {
    await server.run(`${plain} locale_provider icu icu_locale 'de-DE' locale 'C'`)
  } catch {
    await server.run(plain)
  }
}

async function connectToPostgres(url: URL): Promise<Server> {
  const { default: pg } = await import('pg')
  const client = new pg.Client({ connectionString: url.href })
  await client.connect()
  return {
    run: (sql) => client.query(sql),
    databases: async () => {
      const { rows } = await client.query('select datname as name from pg_database')
      return rows.map(({ name }) => name)
    },
    drop: (name) => client.query(`drop database if exists ${name} with (force)`),
    end: () => client.end(),
  }
}

async function connectToMysql(url: URL): Promise<Server> {
  const { createConnection } = await import('mysql2/promise')
  const connection = await createConnection({ uri: url.href })
  return {
    run: (sql) => connection.query(sql),
    databases: async () => {
      const [rows] = await connection.query(
        'select schema_name as name from information_schema.schemata'
      )
      return (rows as Array<{ name: string }>).map(({ name }) => name)
    },
    drop: async (name) => {
      /* It would wait for open transactions there. */
      const sql = 'select id from information_schema.processlist where db = ?'
      const [others] = await connection.query(sql, [name])
      for (const { id } of others as Array<{ id: number }>) {
        await connection.query(`kill ${id}`).catch(() => {})
      }
      await connection.query(`drop database if exists ${name}`)
    },
    end: () => connection.end(),
  }
}
