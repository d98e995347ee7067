/*
 * The databases that this machine has for the tests, in addition to SQLite. Tests tagged @database, about the
 * differences between databases, run on each of them. (packages/atrium/tests/helpers/databases.ts)
 */
const OTHERS = [
  { name: 'better-sqlite3' },
  { name: 'postgres', variable: 'TEST_POSTGRES_URL' },
  { name: 'mysql', variable: 'TEST_MYSQL_URL' },
]

export const DATABASE_TAG = '@database'

/** @returns each with its name and, if tests are not to run on it, the reason */
export function otherDatabases() {
  return OTHERS.map(({ name, variable }) => ({ name, missing: reasonAgainst(variable) }))
}

/** Two drivers of SQLite differ little: the second one is for continuous integration. */
function reasonAgainst(variable) {
  if (!variable) return process.env.CI ? undefined : 'tested in CI, and with TEST_DATABASE'
  return process.env[variable] ? undefined : `${variable} names no server`
}
