/* Connections for config/database.ts, with the settings that the engine works best with. */
export { mysqlConnection } from '#crud/database/mysql/mysql_connection'
export { postgresConnection } from '#crud/database/postgres/postgres_connection'
export { sqliteConnections } from '#crud/database/sqlite/sqlite_connection'
