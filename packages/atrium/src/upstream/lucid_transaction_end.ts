/*
 * Lucid 22.4.2 (src/transaction_client/index.ts): `commit()` of a nested transaction emits `commit` and runs the hooks
 * of `after('commit')` when its savepoint is released, before the outer transaction commits. If that commit fails, the
 * hooks of `after('rollback')` do not run at all. For writes that share a transaction, the end in the database and the
 * end in Lucid are therefore two steps here: Lucid's method runs when the outer transaction has ended, with a Knex
 * transaction whose end has no effect. No issue known. The code can be removed when the test "Lucid still runs the
 * hooks of a nested transaction at its release" fails.
 */
import { readFileSync } from 'node:fs'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'
import { expectLibrary } from './expect_library.js'
import { knexOf } from './knex_transaction.js'

type End = 'commit' | 'rollback'

/** Source of Lucid's class, which is read because Lucid does not export the class */
const SOURCE = new URL('src/transaction_client/index.js', import.meta.resolve('@adonisjs/lucid'))

/**
 * Checks the parts of Lucid that this file relies on.
 *
 * @throws Exception  when Lucid ends transactions in other steps
 */
export function checkLibrary(source = readFileSync(SOURCE, 'utf8')): void {
  const steps = ['commit', 'rollback'].flatMap((end) => [
    `await this.knexClient.${end}()`,
    `this.emit('${end}', this)`,
    `this.hooks.runner('after:${end}').run()`,
  ])
  expectLibrary(
    '@adonisjs/lucid',
    'lucid_transaction_end',
    Object.fromEntries(steps.map((step) => [`${step} in TransactionClient`, source.includes(step)]))
  )
}

/**
 * Ends a transaction only in the database; the hooks and listeners in Lucid run later, by `runEndHooks`.
 *
 * @throws the database's error; a savepoint may no longer exist then
 */
export async function endInDatabase(
  transaction: TransactionClientContract,
  end: End
): Promise<void> {
  const knex = knexOf(transaction)
  await knex[end]()
  await knex.executionPromise
}

/** Runs the hooks and listeners of a transaction that has ended in the database. */
export async function runEndHooks(transaction: TransactionClientContract, end: End): Promise<void> {
  knexOf(transaction)[end] = async () => undefined
  await transaction[end]()
}
