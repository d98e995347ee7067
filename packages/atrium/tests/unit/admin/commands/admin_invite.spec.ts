import ace from '@adonisjs/core/services/ace'
import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import { AdminUser } from '#admin'
import AdminInvite from '#admin/commands/admin_invite'

async function run(args: string[]) {
  const command = await ace.create(AdminInvite, args)
  await command.exec()
  return { command, logs: command.logger.getLogs() }
}

test.group('admin:invite', (group) => {
  group.each.setup(async () => {
    ace.ui.switchMode('raw')
    ace.ui.logger.flushLogs()
    await AdminUser.query().delete()
    return async () => {
      ace.ui.switchMode('normal')
      await AdminUser.query().delete()
    }
  })

  test('[U12] admin:invite creates a user without a password and prints the link once', async ({
    assert,
  }) => {
    const { command, logs } = await run(['kim', '--create', '--email=kim@example.com'])
    assert.equal(command.exitCode, 0)
    const text = logs.map(({ message }) => message).join('\n')
    const token = /\/admin\/invitation\/([\w-]{43})\n/.exec(text)?.[1]
    assert.isDefined(token)
    const kim = await AdminUser.findByOrFail('username', 'kim')
    assert.containSubset(kim.$attributes, { hashedPassword: '!', email: 'kim@example.com' })
    assert.isFalse(kim.isSuperuser)
    const [{ hash }] = await db.from('admin_invitations')
    assert.notEqual(hash, token)
    ace.ui.logger.flushLogs()
    const { logs: json } = await run(['kim', '--json'])
    assert.lengthOf(json, 1)
    const told = JSON.parse(json[0].message)
    assert.sameMembers(Object.keys(told), ['username', 'url', 'expires_at', 'mailed_to'])
    assert.notInclude(told.url, token!)
  })

  test('[U12] admin:invite refuses an unknown user, an existing name and a missing address: {0}')
    .with([
      ['nobody'],
      ['kim', '--create'],
      ['new', '--create', '--email=x'],
      ['kim', '--email=a@b.c'],
    ])
    .run(async ({ assert }, args) => {
      await AdminUser.create({ username: 'kim', hashedPassword: '!', isSuperuser: false })
      const { command } = await run(args)
      assert.equal(command.exitCode, 1)
      assert.isEmpty(await db.from('admin_invitations'))
      assert.lengthOf(await AdminUser.all(), 1)
    })
})
