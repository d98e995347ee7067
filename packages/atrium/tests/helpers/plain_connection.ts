import type { ConnectionConfig } from '@adonisjs/lucid/types/database'
import type { TestDatabase } from './test_database.js'

/** True in a run with `TEST_PLAIN_CONNECTION=true` */
export const isPlainRun = process.env.TEST_PLAIN_CONNECTION === 'true'

/**
 * An ordinary connection of Lucid to the database of the run: an address, and no setting of the engine.
 *
 * @param migrations  folders
 */
export function plainConnection(kind: TestDatabase, migrations: string[] = []): ConnectionConfig {
  const { DB_HOST, DB_PORT, DB_USER, DB_PASSWORD, DB_DATABASE } = process.env
  const common = { migrations: { naturalSort: true, paths: migrations } }
  if (kind !== 'postgres' && kind !== 'mysql') {
    const connection = { filename: DB_DATABASE! }
    return kind === 'sqlite'
      ? { client: 'sqlite3', connection, useNullAsDefault: true, ...common }
      : { client: 'better-sqlite3', connection, useNullAsDefault: true, ...common }
  }
  const connection = {
    host: DB_HOST,
    port: Number(DB_PORT) || undefined,
    user: DB_USER,
    password: DB_PASSWORD,
    database: DB_DATABASE,
  }
  return {
    client: kind === 'postgres' ? 'pg' : 'mysql2',
    connection,
    ...common,
  } as ConnectionConfig
}

/**
 * Replaces the connection of the run by an ordinary one. Call it before the application reads its configuration.
 *
 * @param module  config/database.ts
 */
export function usePlainConnection(module: { default: object }): void {
  const kind = process.env.DB_CONNECTION as TestDatabase
  const { connections } = module.default as { connections: Record<string, ConnectionConfig> }
  const { paths } = connections[kind].migrations!
  connections[kind] = plainConnection(kind, paths)
}
