/*
 * For the tests of an application: its tables and its server. Only tests may import it, as it needs
 * packages that production does not have.
 */
import { inspect } from 'node:util'
import ace from '@adonisjs/core/services/ace'
import testUtils from '@adonisjs/core/services/test_utils'
import edge from 'edge.js'
import { resources } from '#crud'
import { createNodeServer } from './node_server.js'

const failures: Array<{ what: string; error: unknown }> = []

/**
 * Creates the tables by all migrations, and loads their introspection. A setup hook for
 * tests/bootstrap.ts.
 *
 * @returns a function that drops the tables
 * @throws the error of a migration that fails, or ConfigurationError
 */
export async function migrateTables() {
  const takeBack = await runMigrations()
  await resources.load()
  return takeBack
}

/**
 * Without Lucid's lock, as no other process migrates this database: on MySQL the lock is the same for
 * the whole server, and the pool may release it on another connection than the one that took it.
 */
export async function runMigrations() {
  const run = async (name: string) => {
    const options = ['--compact-output', '--no-schema-generate', '--disable-locks']
    const { exitCode, error } = await ace.exec(name, options)
    if (exitCode) throw error ?? new Error(`${name} failed`)
  }
  await run('migration:run')
  return afterwards('taking the tables back (migration:reset)', () => run('migration:reset'))
}

/**
 * Starts the application's server. Templates are compiled once, as in production. A setup hook for
 * tests/bootstrap.ts, after `migrateTables`.
 *
 * @returns a function that stops it
 */
export async function startServer() {
  for (const { cacheManager } of [edge.compiler, edge.asyncCompiler]) cacheManager.enabled = true
  const stop = await testUtils.httpServer().start(createNodeServer)
  return afterwards('stopping the server', stop)
}

/**
 * Wraps a teardown whose failure must not hide the tests' results. Japa reports the failures of tests
 * only after the teardown, and reports none if it throws: here the error is printed when the process
 * ends, after the tests' own failures, and the exit status is a failure.
 *
 * @param what  the work, in words
 */
export function afterwards<Args extends unknown[]>(
  what: string,
  work: (...args: Args) => unknown
): (...args: Args) => Promise<void> {
  return async (...args) => {
    try {
      await work(...args)
    } catch (error) {
      if (failures.length === 0) process.once('exit', tell)
      failures.push({ what, error })
    }
  }
}

function tell() {
  process.exitCode = 1
  for (const { what, error } of failures) {
    console.error(`\nAfter the tests, ${what} failed:\n${inspect(error)}`)
  }
}
