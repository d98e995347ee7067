/*
 * Lucid 22.4.2 (src/orm/base_model): a record that is read or written in a transaction registers two listeners on the
 * transaction, for its end, and each listener removes itself from the list of all listeners: the commit of 135,000
 * records blocked the process for more than eight minutes, and the list referred to every record until then. Here the
 * transaction has one listener, which stores that it has ended, and records check that. No issue known. The code can be
 * removed when the test "Lucid by itself still registers two listeners for each record" fails.
 */
import { BaseModel } from '@adonisjs/lucid/orm'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'
import { expectLibrary, hasText } from './expect_library.js'
import { repairMember } from './repair_member.js'

interface Row {
  modelTrx: TransactionClientContract | undefined
}

/** Whether each transaction has ended */
const ENDS = new WeakMap<TransactionClientContract, { isOver: boolean }>()

/** Lucid's accessor */
export const lucidsTransaction = accessorOf(BaseModel.prototype)

/** Replacement of the accessor, for models that are repaired */
const sharedTransaction = {
  configurable: true,
  get(this: Row) {
    if (this.modelTrx && ENDS.get(this.modelTrx)?.isOver) this.modelTrx = undefined
    return this.modelTrx
  },
  set(this: Row, transaction: TransactionClientContract | undefined) {
    this.modelTrx = transaction || undefined
    if (transaction && !ENDS.has(transaction)) watch(transaction)
  },
}

/**
 * Makes the records of a model share one listener for each transaction.
 *
 * @throws Exception  when Lucid stores the transaction of a record in a different way
 */
export function shareTransactionEnds(model: { prototype: object }): void {
  checkLibrary({ $trx: lucidsTransaction })
  repairMember(model.prototype, '$trx', sharedTransaction)
}

/**
 * Checks the part of Lucid that this file relies on.
 *
 * @throws Exception  when Lucid stores the transaction of a record in a different way
 */
export function checkLibrary({ $trx: accessor }: { $trx?: PropertyDescriptor }): void {
  const registers = "this.modelTrx.once('commit', this.transactionListener)"
  expectLibrary('@adonisjs/lucid', 'lucid_record_transactions', {
    [`${registers} in BaseModel#$trx`]: hasText(accessor?.set, registers),
    'this.modelTrx in BaseModel#$trx': hasText(accessor?.get, 'this.modelTrx'),
  })
}

function watch(transaction: TransactionClientContract): void {
  const end = { isOver: false }
  ENDS.set(transaction, end)
  const note = () => void (end.isOver = true)
  transaction.once('commit', note)
  transaction.once('rollback', note)
}

function accessorOf(row: object): PropertyDescriptor | undefined {
  return Object.getOwnPropertyDescriptor(row, '$trx')
}
