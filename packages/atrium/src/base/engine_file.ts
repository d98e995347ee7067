import { posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import app from '@adonisjs/core/services/app'

/* The package's own name leads to it, from its sources and from its build. */
const PACKAGE = import.meta.resolve('adonis-atrium/package.json')

/**
 * Absolute path of a file that the engine brings with it. This is the only module that knows where they are.
 *
 * @param path  as in `assets/admin/admin.css`
 */
export function engineFile(path: string): string {
  return fileURLToPath(new URL(path, PACKAGE))
}

/**
 * One of the engine's folders of migrations, as `paths` of a connection's migrations in config/database.ts names it:
 * below the root of the application, with slashes.
 */
export function migrationsPath(part: 'crud' | 'admin'): string {
  const folder = import.meta.filename.endsWith('.ts') ? 'migrations' : 'build/migrations'
  return app.relativePath(engineFile(`${folder}/${part}`)).replaceAll('\\', '/')
}

/* Where version 0.2 had them, and where the package has them: its sources, its build */
const MIGRATIONS = /(?:^|\/)(?:app\/(?:crud|admin)\/migrations|migrations\/(?:crud|admin))$/

/**
 * The file of a migration of the engine, without its folder, which may change; undefined for one of the application.
 *
 * @param name  as Lucid makes it, with the folder
 */
export function engineMigration(name: string): string | undefined {
  return MIGRATIONS.test(posix.dirname(name)) ? posix.basename(name) : undefined
}

/**
 * Migrations that have not run. The engine's are compared by the names of their files, as a database may have been migrated
 * by the sources of the engine and be used by its build. [K7]
 *
 * @param wanted  names of migrations as Lucid makes them, with their folders
 * @param done    those that have run
 */
export function pendingMigrations(wanted: readonly string[], done: readonly string[]): string[] {
  const keyOf = (name: string) => engineMigration(name) ?? name
  const names = new Set(done.map(keyOf))
  return wanted.filter((name) => !names.has(keyOf(name)))
}
