/* Connections for config/database.ts, with the settings that the engine works best with. */
export { mysqlConnection } from '#base/database/mysql/mysql_connection'
export { postgresConnection } from '#base/database/postgres/postgres_connection'
export { sqliteConnections } from '#base/database/sqlite/sqlite_connection'
