/* For the tests of an application. It needs packages that production does not have. */
export * from '#admin/testing'
export { migrateTables, startServer } from '#host/testing'
