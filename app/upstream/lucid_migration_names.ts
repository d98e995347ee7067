/*
 * Lucid 22.4.2: `MigrationRunner#getList` first makes the table in which it keeps what was done, so it can't
 * be asked which migrations there are without writing. The runner's source of files is private, and its class
 * is not exported. No issue known. It can go when the test "Lucid's own list of migrations still makes its
 * table" fails.
 */
import type { MigrationRunner } from '@adonisjs/lucid/migration'
import { expectGround, hasMethods } from './expect_ground.js'

interface MigrationSource {
  getMigrations(): Promise<Array<{ name: string }>>
}

/**
 * The names of all migrations of a runner's connection, done or not.
 *
 * @throws Exception  when the runner has no such source of migrations
 */
export async function migrationNames(runner: MigrationRunner): Promise<string[]> {
  const migrations = await sourceOf(runner).getMigrations()
  return migrations.map(({ name }) => name)
}

/** Keeps a runner from running some migrations. */
export function leaveOutMigrations(runner: MigrationRunner, names: readonly string[]): void {
  if (names.length === 0) return
  const source = sourceOf(runner)
  const getAll = source.getMigrations.bind(source)
  source.getMigrations = async () => {
    const migrations = await getAll()
    return migrations.filter(({ name }) => !names.includes(name))
  }
}

function sourceOf(runner: MigrationRunner): MigrationSource {
  const { migrationSource } = runner as unknown as { migrationSource?: MigrationSource }
  expectGround('@adonisjs/lucid', 'lucid_migration_names', {
    'MigrationRunner#migrationSource': hasMethods(migrationSource, 'getMigrations'),
  })
  return migrationSource!
}
