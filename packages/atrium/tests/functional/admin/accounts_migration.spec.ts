import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import type { BaseSchema } from '@adonisjs/lucid/schema'
import Factors from '#migrations/admin/1790000000060_create_admin_factors_tables'
import Notices from '#migrations/admin/1790000000061_create_admin_notices_table'
import Devices from '#migrations/admin/1790000000062_create_admin_devices_table'
import Invitations from '#migrations/admin/1790000000063_create_admin_invitations_table'
import Email from '#migrations/admin/1790000000064_add_email_to_admin_users'
import Passkeys from '#migrations/admin/1790000000067_add_passkeys_to_admin_factors'
import SsoIdentities from '#migrations/admin/1790000000091_create_admin_sso_identities_table'
import {
  cookiesFrom,
  cookiesOf,
  emptyAdminTables,
  fakeHashes,
  isSignedIn,
  login,
  makeUser,
} from '#tests/helpers/admin'
import { giveFactor } from '#tests/helpers/factors'
import { get, statusOf } from '#tests/helpers/http'
import { rolesOfUser } from '#tests/helpers/roles'
import { issueToken } from '#tests/helpers/tokens'

const MIGRATIONS = [Factors, Notices, Devices, Invitations, Email, Passkeys, SsoIdentities]
const TABLES = [
  ...['admin_factors', 'admin_recovery_codes', 'admin_notices', 'admin_devices'],
  ...['admin_invitations', 'admin_sso_identities'],
]

/** The database as the version before accounts left it, and brought up to date again. */
test.group('Admin | the migrations of accounts', (group) => {
  group.tap((one) => one.tags(['@dialect']))
  group.setup(() => fakeHashes())
  group.each.setup(async () => {
    await emptyAdminTables()
    return () => emptyAdminTables()
  })

  const made = (Migration: new (...given: any[]) => BaseSchema, index: number) =>
    new Migration(db.connection() as any, `accounts ${index}`, false)

  test('[U7, U8, U12] after the migrations are rolled back and run again, users keep their roles and can log in', async ({
    assert,
  }) => {
    const root = await makeUser('root')
    const jo = await makeUser('jo', { isSuperuser: false, roles: ['Read only'] })
    await jo.merge({ email: 'jo@example.com' }).save()
    const sessions = [await cookiesOf(root), await cookiesOf(jo)]
    const { headers } = await issueToken(root)
    await giveFactor(root)

    for (const [index, Migration] of [...MIGRATIONS.entries()].reverse()) {
      await made(Migration, index).execDown()
    }
    for (const table of TABLES) await assert.rejects(() => db.from(table).limit(1))
    const [before] = await db.from('admin_users').where('username', 'jo')
    assert.notProperty(before, 'email')

    for (const [index, Migration] of MIGRATIONS.entries()) await made(Migration, index).execUp()
    for (const table of TABLES) assert.isEmpty(await db.from(table))
    assert.deepEqual(await rolesOfUser(jo), ['Read only'])
    /* Setting the factor up has ended the session of root, as it always does. */
    assert.isFalse(await isSignedIn(sessions[0]))
    assert.isTrue(await isSignedIn(sessions[1]))
    for (const { username } of [root, jo]) {
      const response = await login(username)
      assert.equal(response.headers.get('location'), '/admin')
      const cookie = cookiesFrom(response)
      assert.equal(await statusOf(get('/admin/account', { headers: { cookie } })), 200)
    }
    assert.equal(await statusOf(get('/api/utensils', { headers })), 200)
    await assert.rejects(
      () =>
        db.table('admin_sso_identities').multiInsert(
          [1, 2].map(() => ({
            user_id: jo.id,
            issuer: 'https://login.test',
            subject: 'kim',
            print: 'x'.repeat(64),
            created_at: '2026-01-01 00:00:00',
          }))
        ),
      /unique|duplicate/i
    )
  })
})
