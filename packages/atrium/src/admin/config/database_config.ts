import db from '@adonisjs/lucid/services/db'
import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import type { LucidModel } from '@adonisjs/lucid/types/model'
import { RuntimeError } from '#crud'
import { listed } from '#base/errors'
import { readersOf } from '#base/database/sqlite/sqlite_connection'

/**
 * Lucid connections of the application's tables and of the admin site's tables. By default both are the same.
 */
export class DatabaseConfig {
  readonly applicationConnection: string
  readonly adminConnection: string

  /**
   * @throws RuntimeError  for a connection that config/database.ts does not define
   */
  constructor(connections: { application?: string; admin?: string } = {}) {
    this.applicationConnection = connections.application ?? db.primaryConnectionName
    this.adminConnection = connections.admin ?? this.applicationConnection
    for (const name of [this.applicationConnection, this.adminConnection]) {
      if (!db.manager.has(name)) {
        throw new RuntimeError(
          `config/admin.ts: adminConnection is '${name}', and must be one of those in config/database.ts: ${listed(db.manager.connections.keys())}`
        )
      }
    }
  }

  /** Query client for the application's models. */
  applicationSession(): QueryClientContract {
    return db.connection(this.applicationConnection)
  }

  /** Query client for the admin site's models. */
  adminSession(): QueryClientContract {
    return db.connection(this.adminConnection)
  }

  /** Query client of the admin site's models for pages that only read: on SQLite they do not wait for the writer. */
  readingSession(): QueryClientContract {
    return readersOf(this.adminSession()) ?? this.adminSession()
  }
}

/** Returns the query client of a model for code that only reads: on SQLite it does not wait for the writer. */
export function readingClientOf(model: LucidModel): QueryClientContract {
  const client = currentClientOf(model)
  return readersOf(client) ?? client
}

/**
 * Returns the query client of a model for sessions, tokens and permissions. It sees all committed data and therefore
 * every revocation: it does not read from a replica, which can lag behind.
 */
export function currentClientOf({ connection }: LucidModel): QueryClientContract {
  return db.connection(connection, { mode: 'write' })
}

/** A site with its own tables */
export interface WithDatabase {
  readonly dbConfig: DatabaseConfig
}
