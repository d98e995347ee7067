import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import { BaseModel, column } from '@adonisjs/lucid/orm'
import type { LucidModel } from '@adonisjs/lucid/types/model'
import { LucidCrud, type Actor } from '#crud'
import { usePermissions } from '#crud/resource/permissions'
import { GivenPermissions } from '#tests/fixtures/granted'
import { strange } from '#tests/helpers/actors'
import { insertRow } from '#tests/helpers/databases'

class SerializesColumn extends BaseModel {
  static table = 'granted_papers'

  @column({ isPrimary: true })
  declare id: number

  @column({
    serialize: (value, _attribute, record) => `${value}/${(record as SerializesColumn).secret}`,
  })
  declare title: string

  @column()
  declare secret: string | null

  @column({ serializeAs: null })
  declare owner: string
}

class SerializesItself extends BaseModel {
  static table = 'granted_papers'

  @column({ isPrimary: true })
  declare id: number

  @column()
  declare title: string

  @column()
  declare secret: string | null

  @column({ serializeAs: null })
  declare owner: string

  toJSON() {
    return { id: this.id, title: `${this.title}/${this.secret}/${this.owner}`, secret: this.secret }
  }
}

test.group('LucidCrud | application code that computes displayed values', (group) => {
  group.tap((one) => one.tags(['@database']))
  const given = new GivenPermissions()
  const anna: Actor = strange({ kind: 'token', user: 'anna' })
  const root: Actor = strange({ kind: 'token', user: 'root' })

  group.setup(() => {
    const before = usePermissions(given)
    return () => void usePermissions(before)
  })
  group.each.setup(async () => {
    given.clear()
    await db.from('granted_papers').delete()
    await insertRow('granted_papers', { id: 1, title: 'A', owner: 'anna', secret: 'hush' })
    return async () => void (await db.from('granted_papers').delete())
  })

  const cases: Array<[string, LucidModel, string, string]> = [
    ["a column's own serialize", SerializesColumn, 'A/hush', 'A/undefined'],
    ["a model's own toJSON", SerializesItself, 'A/hush/anna', 'A/undefined/anna'],
  ]
  for (const [name, model, whole, left] of cases) {
    test(`[U3] ${name} receives no hidden values, and receives those that no role hides`, async ({
      assert,
    }) => {
      const crud = new LucidCrud(model)
      given.give('anna', model, { hidden: ['secret'] })
      const titlesFor = async (actor: Actor) => {
        const one = await crud.get(1, { actor })
        const { data } = await crud.getMulti({}, { actor })
        const updated = await crud.update(1, { secret: 'hush' }, { actor, returning: true })
        return [one, data[0], updated].map((item) => item!.title)
      }
      assert.deepEqual(await titlesFor(root), [whole, whole, whole])
      assert.deepEqual(await titlesFor(anna), [left, left, left])
      const item = await crud.get(1, { actor: anna })
      assert.notProperty(item, 'secret')
    })
  }

  test('[U3] records that application code reads to write them are complete', async ({
    assert,
  }) => {
    const crud = new LucidCrud(SerializesColumn)
    given.give('anna', SerializesColumn, { hidden: ['secret'] })
    const [record] = await crud.findMany([1], { actor: anna })
    assert.equal((record as SerializesColumn).secret, 'hush')
  })
})
