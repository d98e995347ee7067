/*
 * The databases that this machine has for the tests, besides SQLite. Tests tagged @database, about the
 * differences between databases, run on each of them. (tests/engine/helpers/databases.ts)
 */
const OTHERS = [
  { name: 'better-sqlite3' },
  { name: 'postgres', variable: 'TEST_POSTGRES_URL' },
  { name: 'mysql', variable: 'TEST_MYSQL_URL' },
]

export const DATABASE_TAG = '@database'

/** @returns each with its name and, if tests on it are not possible, the missing part */
export function otherDatabases() {
  return OTHERS.map(({ name, variable }) => ({
    name,
    missing: variable && !process.env[variable] ? `${variable} names no server` : undefined,
  }))
}
