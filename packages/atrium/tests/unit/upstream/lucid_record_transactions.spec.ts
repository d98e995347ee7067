import { test } from '@japa/runner'
import { BaseModel, column } from '@adonisjs/lucid/orm'
import db from '@adonisjs/lucid/services/db'
import { lucidsTransaction, shareTransactionEnds } from '#upstream/lucid_record_transactions'

const MANY = 20_000

class Parcel extends BaseModel {
  static table = 'parcels'

  @column({ isPrimary: true })
  declare id: number
}

shareTransactionEnds(Parcel)

test.group('Transactions of model instances', () => {
  test('Lucid by itself still registers two listeners for each record', async ({ assert }) => {
    const transaction = await db.transaction()
    for (let index = 0; index < 3; index++) lucidsTransaction!.set!.call(new Parcel(), transaction)
    assert.equal(transaction.listenerCount('commit'), 3)
    assert.equal(transaction.listenerCount('rollback'), 3)
    await transaction.rollback()
  })

  test('many records in one transaction share one listener', async ({ assert }) => {
    const transaction = await db.transaction()
    const records = Array.from({ length: MANY }, () => new Parcel().useTransaction(transaction))
    assert.equal(transaction.listenerCount('commit'), 1)
    assert.equal(transaction.listenerCount('rollback'), 1)
    assert.isTrue(records.every(({ $trx }) => $trx === transaction))
    await transaction.commit()
    assert.isTrue(records.every(({ $trx }) => $trx === undefined))
  })

  test('a record leaves its transaction after a {$self}, and can be used in another one')
    .with(['commit', 'rollback'] as const)
    .run(async ({ assert }, end) => {
      const parcel = new Parcel()
      const first = await db.transaction()
      parcel.useTransaction(first)
      let heard = 0
      parcel.$trx!.after(end, () => void heard++)
      const nested = await first.transaction()
      parcel.useTransaction(nested)
      await nested.commit()
      assert.isUndefined(parcel.$trx)
      parcel.$trx = first
      await first[end]()
      assert.equal(heard, 1)
      assert.isUndefined(parcel.$trx)

      const second = await db.transaction()
      parcel.useTransaction(second)
      assert.strictEqual(parcel.$trx, second)
      parcel.$trx = undefined
      assert.isUndefined(parcel.$trx)
      await second.rollback()
    })
})
