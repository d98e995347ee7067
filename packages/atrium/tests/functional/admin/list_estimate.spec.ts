import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { LucidCrud } from '#crud'
import { adminSite, cookiesOf, emptyAdminTables, fakeHashes, makeUser } from '#tests/helpers/admin'
import { get } from '#tests/helpers/http'

test.group('Admin | list | estimated total', (group) => {
  group.setup(() => fakeHashes())
  group.each.setup(async () => {
    await emptyAdminTables()
    await db.from('bulk_gadgets').delete()
  })

  test("[Q5.1] a list with an estimated total is marked as estimated, and can't be selected as a whole", async ({
    assert,
    cleanup,
  }) => {
    const site = await adminSite()
    const { crud } = site.models.get('Gadget')!
    const cookie = await cookiesOf(await makeUser('jo'))
    const names = ['Lamp', 'Sofa'].map((name) => ({ name }))
    await db.table('bulk_gadgets').multiInsert(names)

    let isEstimate = true
    crud.getMulti = async function (...given) {
      const list = await LucidCrud.prototype.getMulti.apply(this, given)
      return { ...list, total_count: 2_000_000, total_is_estimate: isEstimate }
    }
    cleanup(() => void Reflect.deleteProperty(crud, 'getMulti'))
    const read = async () => {
      const { text } = await get('/admin/Gadget/', { headers: { cookie } })
      return text
    }
    const estimated = await read()
    assert.include(estimated, 'About 2,000,000 records')
    assert.include(estimated, '1–2 of about 2,000,000')
    assert.notInclude(estimated, 'bulk-all')

    isEstimate = false
    const counted = await read()
    assert.include(counted, '1–2 of 2,000,000')
    assert.include(counted, 'bulk-all')
  })
})
