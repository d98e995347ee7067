import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { AdminAuditLog, AdminEventLog, type AdminUser } from '#admin'
import { TokenAuthorizer } from '#admin/authentication/access_tokens/api_guard'
import { useTokenAuthorizer } from '#crud'
import { cookiesOf, emptyAdminTables, fakeHashes, makeUser } from '#tests/helpers/admin'
import { insertRow } from '#tests/helpers/databases'
import { call, post } from '#tests/helpers/http'
import { emptyEventTables } from '#tests/helpers/logged_events'
import { giveRoles, makeRole, restoreRoles } from '#tests/helpers/roles'
import { issueToken } from '#tests/helpers/tokens'

const MOUNTED = '/admin/Crate/crud/batch'
const PARCELS = '/api/batch-parcels/batch'

async function labels(): Promise<string[]> {
  const rows = await db.from('batch_crates').where('is_deleted', false).orderBy('id')
  return rows.map(({ label }) => label)
}
const insertCrate = (label: string) =>
  insertRow('batch_crates', { label, updated_at: '2020-01-01 00:00:00' })

test.group('Admin | batch', (group) => {
  let jo: AdminUser
  let cookie: string

  group.tap((one) => one.tags(['@database']))
  group.setup(() => fakeHashes())
  group.each.setup(async () => {
    await emptyAdminTables()
    for (const table of ['batch_crates', 'batch_parcels']) await db.from(table).delete()
    await restoreRoles()
    jo = await makeUser('jo', { isSuperuser: true })
    cookie = await cookiesOf(jo)
    await emptyEventTables()
    return () => restoreRoles()
  })

  const send = (json: unknown) => call('POST', MOUNTED, { json, headers: { cookie } })

  test('[D4, E3] a batch is logged as one event for each kind of operation, with an audit row for each record', async ({
    assert,
  }) => {
    const [a, b] = [await insertCrate('a'), await insertCrate('b')]
    const failed = await send({ create: [{ label: 'c' }], delete: [a, 404] })
    assert.equal(failed.status, 422)
    assert.isEmpty(await AdminEventLog.all())

    const { body, status } = await send({
      create: [{ label: 'c' }, { label: 'd' }],
      update: [{ id: a, weight: 1 }],
      delete: [a, b],
    })
    assert.equal(status, 200)
    const events = await AdminEventLog.query().orderBy('id')
    assert.deepEqual(
      events.map((one) => [one.eventType, one.resourceType, one.resourceId, one.username]),
      [
        ['CREATE', 'Crate', null, 'jo'],
        ['UPDATE', 'Crate', String(a), 'jo'],
        ['DELETE', 'Crate', null, 'jo'],
      ]
    )
    assert.deepEqual(
      events.map(({ details }) => (details as { count?: number } | null)?.count ?? null),
      [2, null, 2]
    )
    const rows = await AdminAuditLog.query().orderBy('id')
    assert.deepEqual(
      rows.map((one) => [one.action, one.resourceId]),
      [
        ...body.created.map(({ id }: any) => ['CREATE', String(id)]),
        ['UPDATE', String(a)],
        ['DELETE', String(a)],
        ['DELETE', String(b)],
      ]
    )
  })

  test('[D4, R7] each event of a batch can be undone separately', async ({ assert }) => {
    const a = await insertCrate('a')
    await send({ create: [{ label: 'b' }, { label: 'c' }], delete: [a] })
    assert.deepEqual(await labels(), ['b', 'c'])
    const [created, deleted] = await AdminEventLog.query().orderBy('id')
    for (const { id } of [deleted, created]) {
      const undone = await call('POST', `/admin/management/events/${id}/undo`, {
        headers: { cookie },
      })
      assert.equal(undone.status, 303)
    }
    assert.deepEqual(await labels(), ['a'])
  })

  test('[D4, U2] a batch with operations that the roles forbid is refused, and nothing is written', async ({
    assert,
  }) => {
    const id = await insertCrate('a')
    const ann = await makeUser('ann', { isSuperuser: false })
    await makeRole('Clerk', { Crate: { actions: ['view', 'create'], readonly: ['weight'] } })
    await giveRoles(ann, ['Clerk'])
    cookie = await cookiesOf(ann)
    const refused: Array<[object, string]> = [
      [{ create: [{ label: 'b' }], update: [{ id, label: 'x' }] }, 'update 0'],
      [{ create: [{ label: 'b' }], delete: [id] }, 'delete 0'],
      [{ create: [{ label: 'b' }, { label: 'c', weight: 1 }] }, 'create 1'],
    ]
    for (const [body, place] of refused) {
      const response = await send(body)
      assert.equal(response.status, 403)
      const [{ operation, index }] = response.body.errors
      assert.equal(`${operation} ${index}`, place)
    }
    assert.deepEqual(await labels(), ['a'])
    const allowed = await send({ create: [{ label: 'b' }] })
    assert.equal(allowed.status, 200)
    const foreign = await call('POST', MOUNTED, {
      json: { create: [{ label: 'c' }] },
      headers: { cookie, 'sec-fetch-site': 'cross-site' },
    })
    assert.equal(foreign.status, 403)
    assert.deepEqual(await labels(), ['a', 'b'])
  })

  test('[D4, P10] a token needs the ability for each kind of operation in a batch', async ({
    assert,
    cleanup,
  }) => {
    const before = useTokenAuthorizer(new TokenAuthorizer())
    cleanup(() => void useTokenAuthorizer(before))
    const { headers } = await issueToken(jo, ['Parcel:create', 'Parcel:update'])
    const create = [{ owner: '[object Object]', title: 'a' }]
    const made = await post(PARCELS, { create, delete: [] }, { headers })
    assert.equal(made.status, 200)
    const refused = await post(PARCELS, { create, delete: [1] }, { headers })
    assert.equal(refused.status, 403)
    assert.include(refused.body.detail, 'Parcel:delete')
    assert.lengthOf(await db.from('batch_parcels'), 1)
    /* Callers who cannot read get no updated items. */
    const [{ id }] = await db.from('batch_parcels')
    const changed = await post(PARCELS, { update: [{ id, title: 'b' }] }, { headers })
    assert.deepEqual(changed.body.updated, [null])
    const reader = await issueToken(jo, ['Parcel:read'])
    const none = await post(PARCELS, {}, { headers: reader.headers })
    assert.equal(none.status, 403)
  })
})
