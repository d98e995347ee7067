/*
 * Which databases this machine has for the tests, and which of the tests run on each of them.
 */
import { readdirSync } from 'node:fs'
import { sep } from 'node:path'

/**
 * The databases beside SQLite, each with the variable that names a server of it.
 */
const OTHERS = [
  { name: 'better-sqlite3' },
  { name: 'postgres', variable: 'TEST_POSTGRES_URL' },
  { name: 'mysql', variable: 'TEST_MYSQL_URL' },
]

export function otherDatabases() {
  return OTHERS.map(({ name, variable }) => ({
    name,
    missing: variable && !process.env[variable] ? `${variable} names no server` : undefined,
  }))
}

/** What each database does in its own way: how it compares, orders, counts, refuses, locks and undoes */
const ON_EACH = [
  /^functional\/demo\/(films|seeder)\./,
  /^functional\/(filters|fields|include|cursor|sorting|paging|uncounted_lists)\./,
  /^functional\/(create|update|delete|deleted_items|keys|virtual_fields|derived_schemas)\./,
  /^functional\/(constraints|concurrency|policies|access|operations|malformed_requests)\./,
  /^functional\/(conditional_requests|idempotency|custom_endpoints|late_faults|bodies|own_code|pivot_rows)\./,
  /^functional\/admin\/(list|list_search|list_values|bulk|bulk_forms|conflict)\./,
  /^functional\/admin\/(create|update|crud_mount|event_log_\w+|events_list)\./,
  /^functional\/attacks\/(patterns|unseen_rows|last_superuser)\./,
  /^unit\/crud\/(actor|hooks|lucid_crud|lucid\/direct_writes|operations\/records|sql\/reader)\./,
  /^unit\/crud\/(resource\/key|events\/model_events)\./,
  /^unit\/crud\/database\/(table_facts|server_faults|server_connection|exact_numbers)\./,
  /^unit\/crud\/database\/(outermost_commit|fault_to_problem)\./,
  /^unit\/upstream\/(knex_transaction|limiter_savepoints)\./,
  /^unit\/admin\/(relations\/references|events\/database_integration)\./,
]

/**
 * @returns what the test runner's `--files` takes
 */
export function filesOnEveryDatabase() {
  return readdirSync('tests', { recursive: true })
    .map((path) => path.split(sep).join('/'))
    .filter((path) => path.endsWith('.spec.ts'))
    .filter((path) => ON_EACH.some((pattern) => pattern.test(path)))
    .toSorted()
}
