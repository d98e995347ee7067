/*
 * Lucid 22.4.2: `MigrationRunner#getList` first makes the table in which it keeps what was done, so it can't
 * be asked which migrations there are without writing, and it can't be told to leave some out. The runner's source of
 * files is private, and its class is not exported. No issue known. It can go when the test "Lucid's own list of
 * migrations still makes its table" fails.
 */
import { MigrationRunner } from '@adonisjs/lucid/migration'
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

interface RunnerMethods {
  runUp(): Promise<void>
}

let isDone = false

/**
 * Keeps every runner of this process from running some migrations, those of Lucid's commands too. One that has
 * run can still be rolled back.
 *
 * @param namesOf  called when migrations run
 */
export function leaveOutMigrations(namesOf: () => readonly string[]): void {
  if (isDone) return
  const prototype = MigrationRunner.prototype as unknown as RunnerMethods
  expectGround('@adonisjs/lucid', 'lucid_migration_names', {
    'MigrationRunner#runUp': hasMethods(prototype, 'runUp'),
  })
  isDone = true
  const { runUp } = prototype
  prototype.runUp = async function (this: MigrationRunner & RunnerMethods) {
    const names = namesOf()
    const source = sourceOf(this)
    const getAll = source.getMigrations.bind(source)
    source.getMigrations = async () => {
      const migrations = await getAll()
      return migrations.filter(({ name }) => !names.includes(name))
    }
    await runUp.call(this)
  }
}

function sourceOf(runner: MigrationRunner): MigrationSource {
  const { migrationSource } = runner as unknown as { migrationSource?: MigrationSource }
  expectGround('@adonisjs/lucid', 'lucid_migration_names', {
    'MigrationRunner#migrationSource': hasMethods(migrationSource, 'getMigrations'),
  })
  return migrationSource!
}
