import ace from '@adonisjs/core/services/ace'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import type { AdminUser } from '#admin'
import AdminMfa from '#admin/commands/admin_mfa'
import { adminSite, cookiesOf, emptyAdminTables, makeUser } from '#tests/helpers/admin'
import { giveFactor } from '#tests/helpers/factors'
import { emptyEventTables } from '#tests/helpers/logged_events'

async function run(...args: string[]) {
  const command = await ace.create(AdminMfa, args)
  await command.exec()
  return { command, text: JSON.stringify(command.logger.getLogs()) }
}

test.group('admin:mfa', (group) => {
  let jo: AdminUser

  group.each.setup(async () => {
    ace.ui.switchMode('raw')
    await emptyAdminTables()
    jo = await makeUser('jo')
    await emptyEventTables()
    return () => ace.ui.switchMode('normal')
  })

  test('[U10, U16] admin:mfa --reset removes factors and recovery codes, ends the sessions, and logs and reports the reset', async ({
    assert,
  }) => {
    const al = await makeUser('al')
    await giveFactor(al)
    await giveFactor(jo)
    await cookiesOf(jo)
    await emptyEventTables()
    const { command, text } = await run('jo', '--reset')
    command.assertSucceeded()
    assert.include(text, 'jo has no second factor any more; removed: 1; sessions ended: 1')
    for (const table of ['admin_factors', 'admin_recovery_codes']) {
      const owners = await db.from(table).distinct('user_id')
      assert.deepEqual(owners, [{ user_id: al.id }])
    }
    assert.isEmpty(await db.from('admin_sessions').where('is_active', true))
    const site = await adminSite()
    await site.events.settle()
    const [event] = await db.from('admin_event_log')
    assert.equal(event.resource_id, String(jo.id))
    assert.equal(event.username, 'system: admin:mfa')
    assert.match(JSON.stringify(event.details), /reset/)
    const told = await db.from('admin_notices').select('user_id', 'kind')
    assert.deepEqual(told, [{ user_id: jo.id, kind: 'factors_reset' }])
    const again = await run('jo', '--reset')
    assert.include(again.text, 'jo had no second factor; sessions ended: 0')
  })

  test('[U10, P12] admin:mfa shows the factors of a user without a secret', async ({ assert }) => {
    const none = await run('jo')
    assert.include(none.text, 'jo has no second factor')
    const app = await giveFactor(jo)
    const { command, text } = await run('jo')
    command.assertSucceeded()
    assert.include(text, 'Recovery codes left: 10')
    assert.notInclude(text, app.secret)
  })

  test('[U10] admin:mfa for an unknown user is an error', async ({ assert }) => {
    const { command, text } = await run('nobody', '--reset')
    command.assertFailed()
    assert.include(text, 'Unknown admin user')
  })
})
