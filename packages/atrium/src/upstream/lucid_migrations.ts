/*
 * Lucid 22.4.2: the migration runner has no option to exclude migrations. It also prevents migrations from rebuilding
 * tables on SQLite (knex 3.3): SQLite can't change most of a table, so Knex creates a new one, copies the rows and
 * drops the old one. With foreign keys on, that fails if other tables refer to it, or deletes their rows (`on delete
 * cascade`). Foreign keys can't be switched off in a transaction, and Lucid has already begun one by then. The runner
 * has no hook before the transaction or before the commit, so two of its private methods are wrapped.
 * https://www.sqlite.org/lang_altertable.html#otheralter https://github.com/knex/knex/issues/6213 (fixed in knex 3.3 if
 * Knex itself begins the transaction, which Lucid's runner does not allow). The code can be removed when the test
 * "Lucid still can’t rebuild tables: its transaction deletes the referring rows" fails.
 */
import { Exception } from '@adonisjs/core/exceptions'
import { MigrationRunner } from '@adonisjs/lucid/migration'
import type { QueryClientContract, TransactionClientContract } from '@adonisjs/lucid/types/database'
import { expectLibrary, hasMethods } from './expect_library.js'

/** The part of Lucid's runner that is used here. */
interface RunnerMethods {
  client: QueryClientContract
  dryRun: boolean
  direction: 'up' | 'down'
  migratedFiles: Record<string, unknown>
  migrationsConfig: { disableTransactions: boolean }
  getMigrationSource(migration: unknown): Promise<{ disableTransactions: boolean }>
  executeMigration(migration: { name: string }): Promise<void>
  commit(client: QueryClientContract | TransactionClientContract): Promise<void>
}

/** Rows of one table that refer to missing rows of another. */
interface Dangling {
  table: string
  parent: string
  count: number
}

/** Returns the read connection of a writer; undefined if there is only one connection. */
type ReadersOf = (client: QueryClientContract) => QueryClientContract | undefined

interface MigrationOptions {
  readersOf: ReadersOf
  excluded: () => readonly string[]
}

let isDone = false

/**
 * Checks that Lucid's migration runner has the methods that this file patches.
 *
 * @throws Exception  if one is missing
 */
export function checkLibrary(runner: object = MigrationRunner.prototype): void {
  expectLibrary('@adonisjs/lucid', 'lucid_migrations', {
    'MigrationRunner#executeMigration': hasMethods(runner, 'executeMigration'),
    'MigrationRunner#getMigrationSource': hasMethods(runner, 'getMigrationSource'),
    'MigrationRunner#commit': hasMethods(runner, 'commit'),
  })
}

/**
 * Allows every migration of this process to rebuild tables that others refer to: on SQLite, foreign keys are off in its
 * transaction, checked before the commit, and on again afterwards. A migration that leaves rows with broken references
 * is rolled back. Excluded migrations do not run; those that have run can still be rolled back.
 *
 * @param readersOf  returns a client that still sees the rows from before the migration
 * @param excluded   returns names of excluded migrations; called when migrations run
 * @throws Exception  like `checkLibrary`
 */
export function repairMigrations({ readersOf, excluded }: MigrationOptions): void {
  if (isDone) return
  checkLibrary()
  isDone = true
  const runner = MigrationRunner.prototype as unknown as RunnerMethods
  const { commit, executeMigration } = runner

  runner.executeMigration = async function (migration) {
    if (this.direction === 'up' && excluded().includes(migration.name)) {
      delete this.migratedFiles[migration.name]
      return
    }
    if (!(await rebuilds(this, migration))) return await executeMigration.call(this, migration)
    /* Switched off on the only connection of the writer, on which the transaction will begin. */
    const [{ foreign_keys: before }] = await this.client.rawQuery('pragma foreign_keys')
    await this.client.rawQuery('pragma foreign_keys = off')
    try {
      await executeMigration.call(this, migration)
    } finally {
      if (before) await this.client.rawQuery('pragma foreign_keys = on')
    }
  }

  runner.commit = async function (client) {
    if (isSqlite(client) && client.isTransaction)
      await refuseDangling(client, readersOf(this.client))
    await commit.call(this, client)
  }
}

/**
 * True if foreign keys have to be switched off for a migration. False for a migration without a transaction, for which
 * Knex switches them off itself.
 */
async function rebuilds(runner: RunnerMethods, migration: unknown): Promise<boolean> {
  if (!isSqlite(runner.client) || runner.dryRun || runner.migrationsConfig.disableTransactions) {
    return false
  }
  const { disableTransactions } = await runner.getMigrationSource(migration)
  return !disableTransactions
}

function isSqlite({ dialect }: QueryClientContract): boolean {
  return dialect.name === 'sqlite3' || dialect.name === 'better-sqlite3'
}

/** Refuses broken references, except those that were already broken before the migration. */
async function refuseDangling(
  transaction: QueryClientContract,
  readers: QueryClientContract | undefined
) {
  const now = await danglingIn(transaction)
  if (now.length === 0) return
  const before = readers ? await danglingIn(readers) : []
  const added = now.filter(({ table, parent, count }) => {
    const known = before.find((one) => one.table === table && one.parent === parent)
    return count > (known?.count ?? 0)
  })
  if (added.length === 0) return
  const what = added.map(
    ({ table, parent, count }) =>
      `${count} ${count === 1 ? 'row' : 'rows'} of ${table} would refer to rows of ${parent} that do not exist`
  )
  throw new Exception(
    `${what.join('; ')}. Foreign keys do not act while a migration runs on SQLite: change or delete those rows in the migration, too. The migration was rolled back`,
    { code: 'E_DANGLING_ROWS' }
  )
}

async function danglingIn(client: QueryClientContract): Promise<Dangling[]> {
  return await client.rawQuery(
    'select "table", "parent", count(*) as "count" from pragma_foreign_key_check() group by 1, 2 order by 1, 2'
  )
}
