/*
 * Lucid 22.4.2, knex 3.3: SQLite can't change most of a table, so knex makes a new one, copies the rows and
 * drops the old one. With foreign keys on, that fails where other tables refer to it, or takes their rows
 * along (`on delete cascade`), and they can't be switched off in a transaction, which Lucid has begun
 * by then. Its runner has no hook before the transaction and none before the commit, so two of its
 * private methods are wrapped. https://www.sqlite.org/lang_altertable.html#otheralter
 */
import { Exception } from '@adonisjs/core/exceptions'
import { MigrationRunner } from '@adonisjs/lucid/migration'
import type { QueryClientContract, TransactionClientContract } from '@adonisjs/lucid/types/database'
import { readersOf } from '#crud/database/sqlite/sqlite_connection'

/** What is used of Lucid's runner. */
export interface RunnerMethods {
  client: QueryClientContract
  dryRun: boolean
  migrationsConfig: { disableTransactions: boolean }
  getMigrationSource(migration: unknown): Promise<{ disableTransactions: boolean }>
  executeMigration(migration: unknown): Promise<void>
  commit(client: QueryClientContract | TransactionClientContract): Promise<void>
}

/** Rows of one table that refer to rows of another which are not there. */
interface Dangling {
  table: string
  parent: string
  count: number
}

let isDone = false

/**
 * Lets every migration of this process, whoever runs it, rebuild tables that others refer to: on SQLite
 * foreign keys are off in its transaction, checked before the commit, and on again afterwards. A
 * migration of which rows would refer to nothing is rolled back.
 */
export function letMigrationsRebuildTables(): void {
  if (isDone) return
  isDone = true
  const runner = MigrationRunner.prototype as unknown as RunnerMethods
  const { commit, executeMigration } = runner

  runner.executeMigration = async function (migration) {
    if (!(await rebuilds(this, migration))) return await executeMigration.call(this, migration)
    /* The writer has one connection, on which the transaction is going to begin. */
    const [{ foreign_keys: before }] = await this.client.rawQuery('pragma foreign_keys')
    await this.client.rawQuery('pragma foreign_keys = off')
    try {
      await executeMigration.call(this, migration)
    } finally {
      if (before) await this.client.rawQuery('pragma foreign_keys = on')
    }
  }

  runner.commit = async function (client) {
    if (isSqlite(client) && client.isTransaction) await refuseDangling(client, this.client)
    await commit.call(this, client)
  }
}

/** What runs without a transaction is knex's own affair: it switches foreign keys off itself then. */
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

/**
 * Rows that referred to nothing before are no fault of the migration.
 */
async function refuseDangling(transaction: QueryClientContract, outside: QueryClientContract) {
  const now = await danglingIn(transaction)
  if (now.length === 0) return
  const readers = readersOf(outside)
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
    `${what.join('; ')}. Foreign keys do not act while a migration runs on SQLite: change or delete those rows in the migration, too. Nothing of it was kept`,
    { code: 'E_DANGLING_ROWS' }
  )
}

async function danglingIn(client: QueryClientContract): Promise<Dangling[]> {
  return await client.rawQuery(
    'select "table", "parent", count(*) as "count" from pragma_foreign_key_check() group by 1, 2 order by 1, 2'
  )
}
