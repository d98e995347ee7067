import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import { LucidCrud, type HookOptions } from '#crud'
import { Resource } from '#crud/resource/resource'
import { Mark } from '#tests/fixtures/own_code'
import { insertRow } from '#tests/helpers/databases'

type Values = Record<string, unknown>

/** Records the arguments of each method; `rename` changes the row without the record. */
class Noting extends LucidCrud<typeof Mark> {
  static calls: Array<[name: string, options: HookOptions, stored: unknown, values?: Values]> = []

  async prepareCreate(values: Values, options: HookOptions) {
    await this.#note('prepareCreate', options, undefined)
    return await super.prepareCreate(values, options)
  }

  async prepareUpdate(values: Values, record: LucidRow, options: HookOptions) {
    await this.#note('prepareUpdate', options, record)
    return await super.prepareUpdate(values, record, options)
  }

  async prepareDelete(record: LucidRow, options: HookOptions) {
    await this.#note('prepareDelete', options, record)
  }

  async afterCreate(record: LucidRow, values: Values, options: HookOptions) {
    await this.#note('afterCreate', options, record, values)
    await this.#rename(record, values, options)
  }

  async afterUpdate(record: LucidRow, values: Values, options: HookOptions) {
    await this.#note('afterUpdate', options, record, values)
    await this.#rename(record, values, options)
  }

  async #note(name: string, options: HookOptions, record?: LucidRow, values?: Values) {
    const stored =
      record && (await options.client.from('own_marks').where('id', record.$primaryKeyValue!))
    Noting.calls.push([name, options, stored?.[0]?.name, values])
  }

  async #rename(record: LucidRow, { rename }: Values, { client }: HookOptions) {
    if (rename === 'refuse') throw new Error('refused')
    if (!rename) return
    await client.from('own_marks').where('id', record.$primaryKeyValue!).update({ name: rename })
  }
}

test.group('The overridable methods of LucidCrud', (group) => {
  group.tap((one) => one.tags(['@database']))
  const resource = new Resource({ model: Mark, virtualFields: ['rename'] })
  const crud = new Noting(Mark).bind(resource)

  group.each.setup(async () => {
    await db.from('own_gate_mark').delete()
    await db.from('own_marks').delete()
    Noting.calls = []
  })

  const names = () => Noting.calls.map(([name, , stored]) => [name, stored])

  test('[P8] the overridable methods run in the documented order, and those after the write can read the row', async ({
    assert,
  }) => {
    const { id } = await crud.create({ name: 'new' })
    await crud.update(id, { name: 'changed' })
    await crud.update(id, { rename: undefined })
    await crud.deleteMany([id])
    assert.deepEqual(names(), [
      ['prepareCreate', undefined],
      ['afterCreate', 'new'],
      ['prepareUpdate', 'new'],
      ['afterUpdate', 'changed'],
      ['prepareUpdate', 'changed'],
      ['afterUpdate', 'changed'],
      ['prepareDelete', 'changed'],
    ])
  })

  test(
    '[P8] each overridable method receives the transaction of the write, whichever client the caller passed: {$self}'
  )
    .with(['none', 'a client', 'a transaction'] as const)
    .run(async ({ assert }, given) => {
      const origin = { requestId: 'r', ip: '192.0.2.1', userAgent: null }
      const work = async (client?: QueryClientContract) => {
        const options = { client, origin }
        const { id } = await crud.create({ name: 'new' }, options)
        await crud.update(id, { name: 'changed' }, options)
        await crud.delete(id, options)
        const other = await crud.create({ name: 'other' }, options)
        await crud.dbDelete(other.id, options)
        assert.strictEqual(options.client, client)
        return client
      }
      const client =
        given === 'a transaction'
          ? await db.transaction(work)
          : await work(given === 'none' ? undefined : db.connection())
      assert.lengthOf(Noting.calls, 8)
      for (const [, options] of Noting.calls) {
        assert.isTrue(options.client.isTransaction)
        assert.notStrictEqual(options.client as QueryClientContract, client)
        assert.strictEqual(options.origin, origin)
      }
    })

  test("[P6, P8] overridable methods after the write receive the caller's values, and can write", async ({
    assert,
  }) => {
    const created = await crud.create({ name: 'new', rename: 'other' })
    assert.equal(created.name, 'other')
    const updated = await crud.update(
      created.id,
      { name: 'new', rename: 'third' },
      { returning: true }
    )
    assert.equal(updated!.name, 'third')
    const [, , , values] = Noting.calls.at(-1)!
    assert.deepEqual(values, { name: 'new', rename: 'third' })
  })

  test('[P8] an error in an overridable method rolls the write back and is thrown to the caller', async ({
    assert,
  }) => {
    const id = await insertRow('own_marks', { name: 'there' })
    await assert.rejects(() => crud.create({ name: 'new', rename: 'refuse' }), 'refused')
    await assert.rejects(() => crud.update(id, { name: 'new', rename: 'refuse' }), 'refused')
    assert.deepEqual(await db.from('own_marks').select('name'), [{ name: 'there' }])
  })
})
