import ace from '@adonisjs/core/services/ace'
import { test } from '@japa/runner'
import { DateTime } from 'luxon'
import { AdminAccessToken, AdminUser } from '#admin'
import AdminToken from '#admin/commands/admin_token'
import { adminSite, makeUser } from '#tests/helpers/admin'
import { issueToken } from '#tests/helpers/tokens'

async function run(args: string[], response?: string) {
  ace.ui.logger.flushLogs()
  const command = await ace.create(AdminToken, args)
  if (response !== undefined) command.prompt.trap('Name of the token').replyWith(response)
  await command.exec()
  return { command, logs: command.logger.getLogs().map(({ message }) => message) }
}

async function refused(args: string[], message: RegExp) {
  const { command } = await run(args)
  command.assertExitCode(1)
  command.assertLogMatches(message, 'stderr')
}

test.group('admin:token', (group) => {
  let jo: AdminUser

  group.each.setup(async () => {
    const wasTerminal = [process.stdin.isTTY, process.stdout.isTTY]
    process.stdin.isTTY = process.stdout.isTTY = true
    ace.ui.switchMode('raw')
    await AdminUser.query().delete()
    jo = await makeUser('jo')
    return async () => {
      ;[process.stdin.isTTY, process.stdout.isTTY] = wasTerminal
      ace.ui.switchMode('normal')
      ace.prompt.traps.prompts.clear()
      await AdminUser.query().delete()
    }
  })

  test('[P10, P12] admin:token issues a token and prints it once', async ({ assert }) => {
    const { command, logs } = await run([
      'jo',
      '--name=ci',
      '--abilities=Utensil:read,Reel:*',
      '--expires-in=30 days',
    ])
    command.assertSucceeded()
    const stored = await AdminAccessToken.findByOrFail('userId', jo.id)
    assert.equal(stored.name, 'ci')
    assert.deepEqual(stored.abilities, ['Utensil:read', 'Reel:*'])
    assert.closeTo(stored.expiresAt!.diffNow('days').days, 30, 0.01)

    const printed = logs.filter((line) => line.includes('atr_'))
    assert.lengthOf(printed, 1)
    const value = printed[0].trim()
    const { accessTokens } = await adminSite()
    const { Secret } = await import('@adonisjs/core/helpers')
    const found = await accessTokens.find(new Secret(value))
    assert.equal(found?.record.id, stored.id)
    assert.notInclude(stored.hash, value.split('.')[1])
    const { logs: listed } = await run(['jo', '--list'])
    assert.notInclude(listed.join(), 'atr_')
  })

  test('[P10, P12] admin:token issues a token with all abilities for 90 days by default, and prompts for a missing name', async ({
    assert,
  }) => {
    const { command, logs } = await run(['jo'], ' backup ')
    command.assertSucceeded()
    assert.match(
      logs[0],
      /Token backup \(\d+\) of jo may do \* and expires \d{4}-\d\d-\d\d \d\d:\d\d UTC/
    )
    const { name, abilities, expiresAt } = await AdminAccessToken.firstOrFail()
    assert.deepEqual([name, abilities], ['backup', ['*']])
    assert.closeTo(expiresAt!.diffNow('days').days, 90, 0.01)

    process.stdin.isTTY = false
    await refused(['jo'], /This is not a terminal, so the command cannot prompt: use --name/)
    assert.lengthOf(await AdminAccessToken.all(), 1)
  })

  test('[P10, P12] admin:token issues a token without expiry only if that is requested', async ({
    assert,
  }) => {
    const { logs } = await run(['jo', '--name=ci', '--expires-in=never'])
    assert.match(logs[0], /may do \* and does not expire/)
    const { expiresAt } = await AdminAccessToken.firstOrFail()
    assert.isNull(expiresAt)
  })

  test('[P12] admin:token --json prints only JSON with the token', async ({ assert }) => {
    const terms = ['--abilities=*:create', '--expires-in=never']
    const { logs } = await run(['jo', '--name=ci', ...terms, '--json'])
    assert.lengthOf(logs, 1)
    const printed = JSON.parse(logs[0])
    const { id } = await AdminAccessToken.firstOrFail()
    assert.containSubset(printed, {
      id,
      username: 'jo',
      name: 'ci',
      abilities: ['*:create'],
      expires_at: null,
    })
    assert.match(printed.token, /^atr_[\w-]+\.[\w-]+$/)
  })

  test("[P12] admin:token lists the user's tokens as a table or JSON", async ({ assert }) => {
    const al = await makeUser('al')
    await issueToken(al)
    const none = await run(['jo', '--list'])
    assert.match(none.logs[0], /jo has no access token. Make one with: node ace admin:token jo/)

    const old = await issueToken(jo, ['Reel:*', '*:read'], {
      name: 'old',
      expiresAt: DateTime.fromISO('2026-01-02T03:04:05Z', { zone: 'utc' }),
    })
    const { logs } = await run(['jo', '--list'])
    assert.lengthOf(logs, 2)
    assert.match(
      logs[1],
      new RegExp(
        `^${old.id}\\|old\\|Reel:\\*, \\*:read\\|\\d{4}.*\\|never\\|2026-01-02 03:04 \\(expired\\)$`
      )
    )
    const json = await run(['jo', '--list', '--json'])
    const [shown, ...others] = JSON.parse(json.logs[0])
    assert.isEmpty(others)
    assert.containSubset(shown, {
      id: old.id,
      username: 'jo',
      name: 'old',
      abilities: ['Reel:*', '*:read'],
      last_used_at: null,
      expires_at: '2026-01-02T03:04:05Z',
      is_expired: true,
    })
    assert.notProperty(shown, 'hash')
    assert.notProperty(shown, 'token')
  })

  test('[P12] admin:token revokes a token of the named user and of no other', async ({
    assert,
  }) => {
    const al = await makeUser('al')
    const [mine, other] = [await issueToken(jo), await issueToken(al)]
    await refused(['jo', `--revoke=${other.id}`], /jo has no access token "\d+"/)
    const { command } = await run(['jo', `--revoke=${mine.id}`])
    command.assertSucceeded()
    const left = await AdminAccessToken.all()
    assert.deepEqual(
      left.map(({ id }) => id),
      [other.id]
    )
    await refused(['jo', `--revoke=${mine.id}`], /jo has no access token/)
    const json = await run(['al', `--revoke=${other.id}`, '--json'])
    assert.deepEqual(JSON.parse(json.logs[0]), { revoked: [other.id] })
  })

  test('[P12] admin:token refuses invalid values and issues no token: {message}')
    .with([
      { args: ['nobody', '--name=ci'], message: /Unknown admin user "nobody"/ },
      { args: ['jo', '--name=ci', '--abilities=Prodct:read'], message: /models are .*Reel/ },
      { args: ['jo', '--name=ci', '--abilities=Reel:list'], message: /operations are create/ },
      { args: ['jo', '--name=ci', '--abilities=,'], message: /needs an ability/ },
      { args: ['jo', '--name=ci', '--expires-in=30'], message: /say 30 days/ },
      { args: ['jo', '--name= '], message: /needs a name/ },
      {
        args: ['jo', '--name=ci', '--list'],
        message: /Use one of --name=NAME, --list and --revoke/,
      },
      { args: ['jo', '--list', '--revoke=1'], message: /Use one of/ },
      { args: ['jo', 'ann'], message: /more arguments than it takes/ },
    ])
    .run(async ({ assert }, { args, message }) => {
      await refused(args, message)
      assert.isEmpty(await AdminAccessToken.all())
    })
})
