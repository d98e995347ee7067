import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import { TokenAuthorizer } from '#admin/authentication/access_tokens/api_guard'
import { useTokenAuthorizer } from '#crud'
import { DOORS } from '#tests/fixtures/crud'
import { adminSite, cookiesOf, emptyAdminTables, fakeHashes, makeUser } from '#tests/helpers/admin'
import { insertRow } from '#tests/helpers/databases'
import { patch, type HttpResponse } from '#tests/helpers/http'
import { issueToken } from '#tests/helpers/tokens'

const DOOR = `/api${DOORS.token}/1`
const REPRESENTATION = { prefer: 'return=representation' }

/** Parts of the response that could reveal the item. */
function told({ status, text, headers }: HttpResponse) {
  return { status, text, applied: headers.get('preference-applied') }
}

const NOTHING = { status: 200, text: 'null', applied: null }

test.group('Attacks | reading records through writes', (group) => {
  group.setup(async () => {
    const before = useTokenAuthorizer(new TokenAuthorizer())
    const restore = await fakeHashes()
    return () => {
      restore()
      useTokenAuthorizer(before)
    }
  })
  group.each.setup(async () => {
    await emptyAdminTables()
    for (const table of ['crud_doors', 'inc_keepers', 'mount_racks']) await db.from(table).delete()
    await db.table('crud_doors').insert({ id: 1, name: 'front' })
    return async () => {
      const { accessTokens } = await adminSite()
      await accessTokens.settle()
    }
  })

  test('[P10, A3] a token that can only update does not reveal the item', async ({ assert }) => {
    const user = await makeUser('jo')
    for (const [abilities, isReported] of [
      [['Door:update'], false],
      [['Door:update', 'Door:read_multi'], false],
      [['Door:update', 'Door:read'], true],
    ] as const) {
      const { headers } = await issueToken(user, [...abilities])
      for (const change of [{}, { name: 'changed' }]) {
        const response = await patch(DOOR, change, { headers: { ...headers, ...REPRESENTATION } })
        if (isReported) assert.equal(told(response).applied, 'return=representation')
        else assert.deepEqual(told(response), NOTHING, abilities.join())
      }
    }
    const door = await db.from('crud_doors').firstOrFail()
    assert.equal(door.name, 'changed')
  })

  test('[B14, A3] an admin user who can only update does not see the item', async ({ assert }) => {
    const id = await insertRow('mount_racks', { label: 'A' })
    const cookie = await cookiesOf(await makeUser('jo'))
    for (const [name, isReported] of [
      ['RackToUpdate', false],
      ['Rack', true],
    ] as const) {
      const path = `/admin/${name}/crud/${id}`
      const response = await patch(path, {}, { headers: { cookie, ...REPRESENTATION } })
      if (isReported) assert.equal(response.body.label, 'A')
      else assert.deepEqual(told(response), NOTHING)
    }
  })

  test('[P14, A3] an actor who can update but not read does not see the item', async ({
    assert,
  }) => {
    const id = await insertRow('inc_keepers', { name: 'unreadable' })
    const hidden = await patch(`/api/inc-keepers/${id}`, {}, { headers: REPRESENTATION })
    assert.deepEqual(told(hidden), NOTHING)

    await db.from('inc_keepers').update({ name: 'Ann' })
    const shown = await patch(`/api/inc-keepers/${id}`, {}, { headers: REPRESENTATION })
    assert.equal(shown.body.name, 'Ann')
  })
})
