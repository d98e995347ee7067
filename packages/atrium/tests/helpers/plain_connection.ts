import type { ConnectionConfig } from '@adonisjs/lucid/types/database'

/** True in a run with `TEST_PLAIN_CONNECTION=true`, on PostgreSQL or MySQL */
export const isPlainRun = process.env.TEST_PLAIN_CONNECTION === 'true'

/**
 * An ordinary connection of Lucid to the database of the run: an address, and no setting of the engine.
 *
 * @param migrations  folders
 */
export function plainConnection(migrations: string[] = []): ConnectionConfig {
  const { DB_CONNECTION, DB_HOST, DB_PORT, DB_USER, DB_PASSWORD, DB_DATABASE } = process.env
  return {
    client: DB_CONNECTION === 'postgres' ? 'pg' : 'mysql2',
    connection: {
      host: DB_HOST,
      port: Number(DB_PORT) || undefined,
      user: DB_USER,
      password: DB_PASSWORD,
      database: DB_DATABASE,
    },
    migrations: { naturalSort: true, paths: migrations },
  } as ConnectionConfig
}

/**
 * Replaces the connection of the run by an ordinary one. Call it before the application reads its configuration.
 *
 * @param module  config/database.ts
 */
export function usePlainConnection(module: { default: object }): void {
  const name = process.env.DB_CONNECTION!
  const { connections } = module.default as { connections: Record<string, ConnectionConfig> }
  connections[name] = plainConnection(connections[name].migrations!.paths)
}
