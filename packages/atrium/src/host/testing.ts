/*
 * Helpers for the tests of an application: its tables and its server. Only tests can import this module, because it
 * needs packages that are not installed in production.
 */
import { inspect } from 'node:util'
import ace from '@adonisjs/core/services/ace'
import testUtils from '@adonisjs/core/services/test_utils'
import edge from 'edge.js'
import { resources } from '#crud'
import { createNodeServer } from './node_server.js'

const failures: Array<{ what: string; error: unknown }> = []

/**
 * Creates the tables with all migrations, and loads their introspection. Can be used as a setup hook in
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
 * Runs the migrations without Lucid's lock, because no other process migrates this database. On MySQL the lock is the
 * same for the whole server, and the pool can release it on another connection than the one that acquired it.
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
 * Starts the application's server, with templates that are compiled once, as in production. Can be used as a setup hook
 * in tests/bootstrap.ts, after `migrateTables`.
 *
 * @returns a function that stops the server
 */
export async function startServer() {
  for (const { cacheManager } of [edge.compiler, edge.asyncCompiler]) cacheManager.enabled = true
  const stop = await testUtils.httpServer().start(createNodeServer)
  return afterwards('stopping the server', stop)
}

/**
 * Wraps a teardown whose failure must not hide the test results. Japa reports failed tests only after the teardown, and
 * reports none if the teardown throws. Here the error is printed when the process ends, after the failed tests, and the
 * exit status indicates a failure.
 *
 * @param what  description of the work
 */
export function afterwards<Args extends unknown[]>(
  what: string,
  work: (...args: Args) => unknown
): (...args: Args) => Promise<void> {
  return async (...args) => {
    try {
      await work(...args)
    } catch (error) {
      if (failures.length === 0) process.once('exit', reportFailures)
      failures.push({ what, error })
    }
  }
}

function reportFailures() {
  process.exitCode = 1
  for (const { what, error } of failures) {
    console.error(`\nAfter the tests, ${what} failed:\n${inspect(error)}`)
  }
}
