import { posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import app from '@adonisjs/core/services/app'

/* Resolves to the package, from its sources and from its build. */
const PACKAGE = import.meta.resolve('adonis-atrium/package.json')

/**
 * Returns the absolute path of a file in the engine's package. Only this module determines the location of the package.
 *
 * @param path  path such as `assets/admin/admin.css`
 */
export function engineFile(path: string): string {
  return fileURLToPath(new URL(path, PACKAGE))
}

/**
 * Returns one of the engine's migration folders, as used in `paths` of a connection's migrations in config/database.ts:
 * relative to the root of the application, with slashes.
 */
export function migrationsPath(part: 'crud' | 'admin'): string {
  const folder = import.meta.filename.endsWith('.ts') ? 'migrations' : 'build/migrations'
  return app.relativePath(engineFile(`${folder}/${part}`)).replaceAll('\\', '/')
}

/* Folders of the engine's migrations: in version 0.2, and in the sources and the build of the package */
const MIGRATIONS = /(?:^|\/)(?:app\/(?:crud|admin)\/migrations|migrations\/(?:crud|admin))$/

/**
 * Returns the file name of a migration of the engine, without its folder, which can differ; undefined for a migration
 * of the application.
 *
 * @param name  name as Lucid forms it, with the folder
 */
export function engineMigration(name: string): string | undefined {
  return MIGRATIONS.test(posix.dirname(name)) ? posix.basename(name) : undefined
}

/**
 * Returns the migrations that have not run. Those of the engine are compared by file name, because a database may have
 * been migrated by the sources of the engine and then be used by its build.
 *
 * @param wanted  names of migrations as Lucid forms them, with their folders
 * @param done    names of the migrations that have run
 */
export function pendingMigrations(wanted: readonly string[], done: readonly string[]): string[] {
  const keyOf = (name: string) => engineMigration(name) ?? name
  const names = new Set(done.map(keyOf))
  return wanted.filter((name) => !names.has(keyOf(name)))
}
