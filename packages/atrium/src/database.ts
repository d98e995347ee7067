/* Connections for config/database.ts, with the recommended settings for the engine. */
export { mysqlConnection } from '#base/database/mysql/mysql_connection'
export { postgresConnection } from '#base/database/postgres/postgres_connection'
export { sqliteConnections } from '#base/database/sqlite/sqlite_connection'
