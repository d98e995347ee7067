/* Exports for the tests of an application. They need packages that are not installed in production. */
export * from '#admin/testing'
export { migrateTables, startServer } from '#host/testing'
