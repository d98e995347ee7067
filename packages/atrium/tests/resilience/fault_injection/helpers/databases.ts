import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import knex, { type Knex } from 'knex'
import { mariadbServer } from './mariadb_server.js'
import { postgresServer } from './postgres_server.js'

export type DatabaseKind = 'sqlite' | 'better-sqlite3' | 'postgres' | 'mysql'

export const KINDS: DatabaseKind[] = ['sqlite', 'better-sqlite3', 'postgres', 'mysql']

/** A database server for one scenario. */
export interface DatabaseServer {
  variables: Record<string, string>
  connection: Knex.Config
  /** Stops it immediately, as in a crash */
  crash(): Promise<void>
  start(): Promise<void>
}

/** A new, empty database. */
export interface Place {
  kind: DatabaseKind
  /** Environment variables of the application */
  variables: Record<string, string>
  /** Server of the database, if it has one */
  server?: DatabaseServer
  /** Runs a select, independently of the application */
  select(sql: string): Promise<Array<Record<string, any>>>
  remove(): Promise<void>
}

/**
 * @throws MissingProgram  if the database server is not installed
 */
export async function makePlace(kind: DatabaseKind): Promise<Place> {
  const folder = mkdtempSync(join(tmpdir(), 'atrium-fault-injection-'))
  const remove = () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  if (kind === 'sqlite' || kind === 'better-sqlite3') {
    return { ...placeInFolder(kind, folder), remove: async () => remove() }
  }
  try {
    const server = await (kind === 'postgres' ? postgresServer : mariadbServer)(folder)
    await server.start()
    return {
      kind,
      server,
      variables: { ...server.variables, STORAGE_DIRECTORY: join(folder, 'storage') },
      select: selecting(server.connection),
      async remove() {
        await server.crash()
        remove()
      },
    }
  } catch (error) {
    remove()
    throw error
  }
}

/** A SQLite file in a directory that the caller removes. */
export function placeInFolder(kind: DatabaseKind, folder: string): Place {
  const filename = join(folder, 'db.sqlite3')
  return {
    kind,
    variables: {
      DB_CONNECTION: kind,
      DB_DATABASE: filename,
      STORAGE_DIRECTORY: join(folder, 'storage'),
    },
    select: selecting({ client: 'sqlite3', connection: { filename }, useNullAsDefault: true }),
    remove: async () => {},
  }
}

function selecting(config: Knex.Config) {
  return async (sql: string) => {
    const database = knex(config)
    try {
      const result = await database.raw(sql)
      return result.rows ?? (Array.isArray(result[0]) ? result[0] : result)
    } finally {
      await database.destroy()
    }
  }
}
