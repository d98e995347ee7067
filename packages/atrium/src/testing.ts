/* For the tests of an application. It needs packages that production does not have. */
export * from '#admin/testing'
export { afterwards, migrateTables, startServer } from '#host/testing'
