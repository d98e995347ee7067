import { rm } from 'node:fs/promises'
import ace from '@adonisjs/core/services/ace'
import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'
import { AdminSite, AdminUser } from '#admin'
import AdminCreate from '#admin/commands/admin_create'
import { runAce } from '#tests/helpers/ace_process'

const PASSWORD = 'open-sesame'

/** As at a terminal, where prompts may be made. */
async function create(args: string[], answers: Record<string, string> = {}) {
  const command = await ace.create(AdminCreate, args)
  for (const [question, answer] of Object.entries(answers)) {
    command.prompt.trap(question).replyWith(answer)
  }
  await command.exec()
  return command
}

async function verified(username: string, password: string) {
  const { adminUserService } = await app.container.make(AdminSite)
  return await adminUserService.verify(username, password)
}

test.group('admin:create at a terminal', (group) => {
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
    }
  })

  test('[P12] [B13] it asks for what is missing, and makes a superuser', async ({ assert }) => {
    const command = await create([], {
      'Username': 'jo',
      'Password': PASSWORD,
      'Password again': PASSWORD,
    })
    command.assertSucceeded()
    const user = await verified('jo', PASSWORD)
    assert.isTrue(user?.isSuperuser)
    assert.notInclude(JSON.stringify(command.logger.getLogs()), PASSWORD)
  })

  test('[P12] [B13] it does not ask for a name that is given, nor make a superuser when told so', async ({
    assert,
  }) => {
    const command = await create(['--username=jo', '--no-superuser'], {
      'Password': PASSWORD,
      'Password again': PASSWORD,
    })
    command.assertSucceeded()
    const user = await verified('jo', PASSWORD)
    assert.isFalse(user?.isSuperuser)
  })

  test('two passwords that differ make nobody', async ({ assert }) => {
    const command = await create(['--username=jo'], {
      'Password': PASSWORD,
      'Password again': `${PASSWORD}!`,
    })
    command.assertExitCode(1)
    command.assertLogMatches(/The two passwords differ/, 'stderr')
    assert.isNull(await AdminUser.findBy('username', 'jo'))
  })

  test('a prompt says what is wrong with an answer', async () => {
    const command = await ace.create(AdminCreate, [])
    command.prompt
      .trap('Username')
      .assertFails('a b', /can't be a user name/)
      .replyWith('jo')
    command.prompt
      .trap('Password')
      .assertFails('1234567', /8 characters/)
      .assertFails('password1', /most common/)
      .replyWith(PASSWORD)
    command.prompt.trap('Password again').replyWith(PASSWORD)
    await command.exec()
    command.assertSucceeded()
  })

  test('[U13] a password that is the name is refused', async () => {
    const command = await ace.create(AdminCreate, ['--username=open.sesame'])
    command.prompt
      .trap('Password')
      .assertFails('Open.Sesame', /is the user name/)
      .replyWith(PASSWORD)
    command.prompt.trap('Password again').replyWith(PASSWORD)
    await command.exec()
    command.assertSucceeded()
  })

  test('[B11] a name that is taken or impossible is refused: {$self}')
    .with(['taken', 'x', 'a b', 'é é', 'x'.repeat(33), '../x', 'a\nb', "a'b"])
    .run(async ({ assert }, username) => {
      await AdminUser.create({ username: 'taken', hashedPassword: '-', isSuperuser: false })
      const command = await create([`--username=${username}`])
      command.assertExitCode(1)
      assert.lengthOf(command.logger.getLogs(), 1)
      assert.lengthOf(await AdminUser.all(), 1)
    })
})

test.group('admin:create in a script', (group) => {
  group.tap((one) => one.timeout(60_000))
  group.each.setup(() => async () => {
    await AdminUser.query().delete()
  })

  test("[P12] the password comes from standard input, without the line's end", async ({
    assert,
  }) => {
    for (const [username, end] of Object.entries({ bare: '', unix: '\n', windows: '\r\n' })) {
      const { status, out, err } = await runAce(
        ['admin:create', `--username=${username}`, '--password-stdin'],
        { input: PASSWORD + end }
      )
      assert.equal(status, 0, err)
      assert.notInclude(out + err, PASSWORD)
      assert.isNotNull(await verified(username, PASSWORD))
    }
  })

  test('[P12] [B11] of two who take a name at once, in whatever case, one is told so', async ({
    assert,
  }) => {
    const ends = await Promise.all(
      ['Ann', 'ann'].map((username) =>
        runAce(['admin:create', `--username=${username}`, '--password-stdin'], { input: PASSWORD })
      )
    )
    const failed = ends.filter(({ status }) => status !== 0)
    assert.lengthOf(failed, 1)
    assert.equal(failed[0].status, 1)
    assert.match(failed[0].err, /^.*The user name [Aa]nn is taken\n$/)
    assert.lengthOf(await AdminUser.all(), 1)
  })

  test('[P12] what fails says so in one line on standard error, with status 1', async ({
    assert,
  }) => {
    const complete = ['admin:create', '--username=jo', '--password-stdin']
    const cases: Array<[string[], string | Uint8Array, RegExp]> = [
      [complete, '', /holds no password/],
      [complete, '1234567\n', /8 characters/],
      [complete, `${PASSWORD}\n\n`, /one line/],
      [complete, new Uint8Array(8).fill(0xe4), /UTF-8/],
      [complete.slice(0, 2), PASSWORD, /use --password-stdin/],
      [complete.slice(0, 1), '', /use --username=NAME and --password-stdin/],
      [[...complete, 'surplus-word'], PASSWORD, /more arguments/],
    ]
    const results = await Promise.all(
      cases.map(async ([args, input, expected]) => {
        const result = await runAce(args, { input })
        return { ...result, args, expected }
      })
    )
    for (const { status, out, err, args, expected } of results) {
      assert.equal(status, 1, args.join(' '))
      assert.equal(out, '')
      assert.match(err, expected)
      assert.match(err, /^[^\n]+\n$/)
      assert.notMatch(err, /surplus-word|1234567|open-sesame/)
    }
    assert.lengthOf(await AdminUser.all(), 0)
  })

  test('a database without the tables is one line that names the command', async ({
    assert,
    cleanup,
  }) => {
    const database = `${process.env.DB_DATABASE}-empty`
    cleanup(() => rm(app.makePath(database), { force: true }))
    const { status, out, err } = await runAce(
      ['admin:create', '--username=jo', '--password-stdin'],
      { input: PASSWORD, database }
    )
    assert.equal(status, 1)
    assert.equal(out, '')
    assert.match(err, /^[^\n]*node ace migrate\n$/)
  })
})
