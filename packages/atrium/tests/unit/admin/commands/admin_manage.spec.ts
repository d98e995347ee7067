import ace from '@adonisjs/core/services/ace'
import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'
import { AdminSession, AdminSite, AdminTokenBlacklist, AdminUser } from '#admin'
import AdminDelete from '#admin/commands/admin_delete'
import AdminList from '#admin/commands/admin_list'
import AdminPassword from '#admin/commands/admin_password'
import AdminSessions from '#admin/commands/admin_sessions'
import { issueToken } from '#tests/helpers/tokens'

async function addUser(username: string, isSuperuser = false) {
  const { adminUserService } = await app.container.make(AdminSite)
  return await adminUserService.create({ username, password: 'open-sesame', isSuperuser })
}

async function signIn(user: AdminUser, userAgent = 'curl/8') {
  const { sessionManager, adminAuthentication } = await app.container.make(AdminSite)
  const begun = await sessionManager.begin(user, { ip: '192.0.2.7', userAgent })
  const { session } = begun!
  const { claims } = await adminAuthentication.tokens.issue(user.id, session.sessionId)
  await sessionManager.remember(session, claims)
  return { session, jti: claims.jti }
}

async function activeOf(user: AdminUser) {
  const { sessionManager } = await app.container.make(AdminSite)
  const sessions = await sessionManager.activeOf(user.id)
  return sessions.map((session) => session.id)
}

async function tokensOf(user: AdminUser) {
  const { accessTokens } = await app.container.make(AdminSite)
  return await accessTokens.ofUser(user)
}

type Command = typeof AdminDelete | typeof AdminList | typeof AdminPassword | typeof AdminSessions

async function run(
  constructor: Command,
  args: string[],
  responses: Record<string, string | boolean> = {}
) {
  const command = await ace.create(constructor, args)
  for (const [question, response] of Object.entries(responses)) {
    command.prompt.trap(question).replyWith(response)
  }
  await command.exec()
  return { command, logs: command.logger.getLogs() }
}

test.group("The admin site's commands", (group) => {
  group.each.setup(async () => {
    const wasTerminal = [process.stdin.isTTY, process.stdout.isTTY]
    process.stdin.isTTY = process.stdout.isTTY = true
    ace.ui.switchMode('raw')
    await AdminUser.query().delete()
    return async () => {
      ;[process.stdin.isTTY, process.stdout.isTTY] = wasTerminal
      ace.ui.switchMode('normal')
      ace.prompt.traps.prompts.clear()
      await AdminUser.query().delete()
      await AdminTokenBlacklist.query().delete()
    }
  })

  test('[P12] admin:list lists all users as a table or JSON, without secrets', async ({
    assert,
  }) => {
    const jo = await addUser('jo', true)
    await addUser('ann')
    await signIn(jo)

    const table = await run(AdminList, [])
    assert.match(table.logs[1].message, /^ann\|no\|0\|/)
    assert.match(table.logs[2].message, /^jo\|yes\|1\|/)

    ace.ui.logger.flushLogs()
    const json = await run(AdminList, ['--json'])
    assert.lengthOf(json.logs, 1)
    assert.containSubset(JSON.parse(json.logs[0].message), [
      { username: 'ann', is_superuser: false, active_sessions: 0 },
      { id: jo.id, username: 'jo', is_superuser: true, active_sessions: 1 },
    ])
    assert.notInclude(json.logs[0].message, 'scrypt')
  })

  test('[P12] [B7] admin:password sets the password and ends all sessions of that user', async ({
    assert,
  }) => {
    const jo = await addUser('jo')
    const ann = await addUser('ann')
    const { jti } = await signIn(jo)
    await signIn(jo)
    await signIn(ann)

    const { command } = await run(AdminPassword, ['jo'], {
      'Password': 'new-password',
      'Password again': 'new-password',
    })
    command.assertSucceeded()
    const { adminUserService, sessionManager } = await app.container.make(AdminSite)
    assert.isNotNull(await adminUserService.verify('jo', 'new-password'))
    assert.isNull(await adminUserService.verify('jo', 'open-sesame'))
    assert.lengthOf(await activeOf(jo), 0)
    assert.lengthOf(await activeOf(ann), 1)
    assert.isTrue(await sessionManager.isRevoked(jti))
  })

  test('[P10, P12] admin:password asks whether to revoke access tokens, and reports the tokens that stay', async ({
    assert,
  }) => {
    const jo = await addUser('jo')
    const responses = { 'Password': 'new-password', 'Password again': 'new-password' }
    const none = await run(AdminPassword, ['jo'], responses)
    assert.lengthOf(none.logs, 1)
    ace.ui.logger.flushLogs()
    await issueToken(jo)
    const question = 'Revoke the access tokens of jo (1)?'
    const { logs } = await run(AdminPassword, ['jo'], { ...responses, [question]: false })
    assert.match(logs[1].message, /^Access tokens that stay: 1; see node ace admin:token jo --list/)
    const stored = await run(AdminPassword, ['jo', '--no-revoke-tokens'], responses)
    assert.match(stored.logs.at(-1)!.message, /^Access tokens that stay: 1/)
    assert.lengthOf(await tokensOf(jo), 1)
  })

  test('[P10, P12] a flag of admin:password revokes the user’s access tokens', async ({
    assert,
  }) => {
    const jo = await addUser('jo')
    const ann = await addUser('ann')
    await issueToken(ann)
    const responses = { 'Password': 'new-password', 'Password again': 'new-password' }
    const ways: Array<[string[], Record<string, boolean>]> = [
      [['jo', '--revoke-tokens'], {}],
      [['jo'], { 'Revoke the access tokens of jo (2)?': true }],
    ]
    for (const [args, said] of ways) {
      await issueToken(jo)
      await issueToken(jo)
      const { logs } = await run(AdminPassword, args, { ...responses, ...said })
      assert.include(logs.at(-1)!.message, 'Access tokens revoked: 2')
      assert.lengthOf(await tokensOf(jo), 0)
    }
    assert.lengthOf(await tokensOf(ann), 1)
  })

  test('[P12] admin:delete prompts for confirmation, then removes the user with sessions and tokens', async ({
    assert,
  }) => {
    const jo = await addUser('jo')
    const { jti } = await signIn(jo)

    const declined = await run(AdminDelete, ['jo'], { 'Remove jo for good?': false })
    declined.command.assertExitCode(1)
    assert.lengthOf(await activeOf(jo), 1)

    const accepted = await run(AdminDelete, ['jo'], { 'Remove jo for good?': true })
    accepted.command.assertSucceeded()
    assert.isNull(await AdminUser.find(jo.id))
    assert.lengthOf(await AdminSession.query().where('userId', jo.id), 0)
    const { sessionManager } = await app.container.make(AdminSite)
    assert.isTrue(await sessionManager.isRevoked(jti))
  })

  test('[B13] admin:delete does not delete the last superuser, whose sessions stay', async ({
    assert,
  }) => {
    const jo = await addUser('jo', true)
    await addUser('ann')
    await signIn(jo)

    const refused = await run(AdminDelete, ['jo', '--force'])
    refused.command.assertExitCode(1)
    refused.command.assertLogMatches(/jo is the last superuser/, 'stderr')
    assert.lengthOf(await activeOf(jo), 1)

    await addUser('bo', true)
    const accepted = await run(AdminDelete, ['jo', '--force'])
    accepted.command.assertSucceeded()
    assert.isNull(await AdminUser.find(jo.id))
  })

  test('[P12] admin:sessions lists the sessions of all users or one user', async ({ assert }) => {
    const jo = await addUser('jo')
    const ann = await addUser('ann')
    const { session } = await signIn(jo, 'Mozilla/5.0 (X11; Linux) Firefox/140.0 \u009b31m')
    await signIn(ann)

    const table = await run(AdminSessions, ['jo'])
    assert.lengthOf(table.logs, 2)
    assert.include(table.logs[1].message, `${session.id}|jo|192.0.2.7|Firefox on Linux|`)

    ace.ui.logger.flushLogs()
    const json = await run(AdminSessions, ['--json'])
    const shown = JSON.parse(json.logs[0].message)
    assert.sameMembers(
      shown.map((one: { username: string }) => one.username),
      ['jo', 'ann']
    )
    assert.notInclude(json.logs[0].message, session.sessionId)
    assert.notInclude(json.logs[0].message, '\u009b')
    assert.include(shown[0].user_agent, '\u009b')
  })

  test('[P12] admin:sessions ends one session, all sessions of a user, or all sessions', async ({
    assert,
  }) => {
    const jo = await addUser('jo')
    const ann = await addUser('ann')
    const first = await signIn(jo)
    const second = await signIn(jo)
    await signIn(ann)

    const foreign = await run(AdminSessions, ['ann', `--revoke=${first.session.id}`])
    foreign.command.assertExitCode(1)
    const one = await run(AdminSessions, [`--revoke=${first.session.id}`])
    one.command.assertSucceeded()
    assert.deepEqual(await activeOf(jo), [second.session.id])
    const { sessionManager } = await app.container.make(AdminSite)
    assert.isTrue(await sessionManager.isRevoked(first.jti))
    assert.isFalse(await sessionManager.isRevoked(second.jti))

    await run(AdminSessions, ['jo', '--revoke-all'])
    assert.lengthOf(await activeOf(jo), 0)
    assert.lengthOf(await activeOf(ann), 1)
    await run(AdminSessions, ['--revoke-all'])
    assert.lengthOf(await activeOf(ann), 0)

    const again = await run(AdminSessions, [`--revoke=${first.session.id}`])
    again.command.assertExitCode(1)
    const both = await run(AdminSessions, ['--revoke=1', '--revoke-all'])
    both.command.assertExitCode(1)
  })

  test('[P12] an unknown user is named, and the exit status is 1: {name}')
    .with([
      { name: 'admin:delete', constructor: AdminDelete },
      { name: 'admin:password', constructor: AdminPassword },
      { name: 'admin:sessions', constructor: AdminSessions },
    ])
    .run(async ({ assert }, { constructor }) => {
      const { command, logs } = await run(constructor, ['no\nbody'])
      command.assertExitCode(1)
      assert.lengthOf(logs, 1)
      command.assertLogMatches(/Unknown admin user "no\\nbody"/, 'stderr')
    })
})

test.group("The admin site's commands in a script", (group) => {
  group.each.setup(() => {
    ace.ui.switchMode('raw')
    return async () => {
      ace.ui.switchMode('normal')
      await AdminUser.query().delete()
    }
  })

  test('[P12] admin:sessions --json prints only the ids of the ended sessions', async ({
    assert,
  }) => {
    const { session } = await signIn(await addUser('jo', true))
    ace.ui.logger.flushLogs()
    const { logs } = await run(AdminSessions, ['--revoke-all', '--json'])
    assert.lengthOf(logs, 1)
    assert.deepEqual(JSON.parse(logs[0].message), { revoked: [session.id] })
  })

  test('[P12] admin:delete and admin:password require a flag in place of their prompt if there is no terminal', async ({
    assert,
    cleanup,
  }) => {
    await addUser('jo')
    const wasTerminal = process.stdin.isTTY
    process.stdin.isTTY = false
    cleanup(() => void (process.stdin.isTTY = wasTerminal))
    const removal = await run(AdminDelete, ['jo'])
    const password = await run(AdminPassword, ['jo'])
    for (const [{ command }, flag] of [
      [removal, /use --force$/],
      [password, /use --password-stdin$/],
    ] as const) {
      command.assertExitCode(1)
      command.assertLogMatches(flag, 'stderr')
    }
    assert.isNotNull(await AdminUser.findBy('username', 'jo'))
  })
})
