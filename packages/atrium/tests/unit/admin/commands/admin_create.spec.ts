import { Readable } from 'node:stream'
import ace from '@adonisjs/core/services/ace'
import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'
import { AdminSite, AdminUser } from '#admin'
import AdminCreate from '#admin/commands/admin_create'
import { rolesOfUser } from '#tests/helpers/roles'

const PASSWORD = 'open-sesame'

/** Runs the command as in a terminal, with prompts. */
async function create(args: string[], responses: Record<string, string> = {}) {
  const command = await ace.create(AdminCreate, args)
  for (const [question, response] of Object.entries(responses)) {
    command.prompt.trap(question).replyWith(response)
  }
  await command.exec()
  return command
}

async function verified(username: string, password: string) {
  const { adminUserService } = await app.container.make(AdminSite)
  return await adminUserService.verify(username, password)
}

test.group('admin:create in a terminal', (group) => {
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

  test('[P12] [B13] admin:create prompts for missing values and creates a superuser', async ({
    assert,
  }) => {
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

  test('[P12, U3] admin:create --attribute sets declared attributes with their types')
    .with([
      {
        given: ['branch_id=4', 'night=true', 'team=b'],
        stored: { branch_id: 4, night: true, team: 'b' },
      },
      { given: ['branch_id=four'], fault: 'The attribute branch_id must be a number' },
      { given: ['team=c'], fault: 'The attribute team' },
      { given: ['branch=4'], fault: 'Unknown attribute "branch"; attributes are' },
      { given: ['branch_id'], fault: '"branch_id" is not NAME=VALUE' },
      { given: ['branch_id='], fault: 'The attribute branch_id needs a value' },
    ])
    .run(async ({ assert, cleanup }, { fault: error, given, stored }) => {
      const site = await app.container.make(AdminSite)
      const { userAttributes } = site
      const declared = {
        branch_id: { type: 'number' },
        night: { type: 'boolean' },
        team: { type: 'text', choices: ['a', 'b'] },
      }
      Object.assign(site, { userAttributes: declared })
      cleanup(() => void Object.assign(site, { userAttributes }))
      const flags = given.map((one) => `--attribute=${one}`)
      const command = await create(['--username=jo', ...flags], {
        'Password': PASSWORD,
        'Password again': PASSWORD,
      })
      const user = await AdminUser.findBy('username', 'jo')
      if (stored) {
        command.assertSucceeded()
        assert.deepEqual(user!.attributes as unknown, stored)
        return
      }
      command.assertExitCode(1)
      assert.isNull(user)
      const lines = command.logger.getLogs().map(({ message }) => message)
      assert.lengthOf(lines, 1)
      assert.include(lines[0], error)
    })

  test('[P12] [B13] admin:create does not prompt for a given name, and creates a superuser only with the flag', async ({
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

  test('[U5, U6] admin:create --role assigns the named roles, and the user is then not a superuser', async ({
    assert,
  }) => {
    const responses = { 'Password': PASSWORD, 'Password again': PASSWORD }
    const cases: Array<[string[], string[], boolean]> = [
      [[], ['Everything'], true],
      [['--no-superuser'], ['Everything'], false],
      [['--role=Read only'], ['Read only'], false],
      [['--role=Read only', '--role=Everything'], ['Everything', 'Read only'], false],
      [['--role=none'], [], false],
      [['--role=none', '--superuser'], [], true],
    ]
    for (const [args, roles, isSuperuser] of cases) {
      await AdminUser.query().delete()
      const command = await create(['--username=jo', ...args], responses)
      command.assertSucceeded()
      const jo = await AdminUser.findByOrFail('username', 'jo')
      assert.deepEqual(await rolesOfUser(jo), roles, args.join(' '))
      assert.equal(jo.isSuperuser, isSuperuser, args.join(' '))
    }
  })

  test('[U6] admin:create with an unknown role creates no user', async ({ assert }) => {
    for (const [args, message] of [
      [['--role=Clerk'], /Unknown role "Clerk"; roles are "Everything", "Read only"/],
      [['--role=none', '--role=Everything'], /--role=none goes with no other/],
    ] as const) {
      const command = await create(['--username=jo', ...args])
      command.assertExitCode(1)
      command.assertLogMatches(message, 'stderr')
    }
    assert.isNull(await AdminUser.findBy('username', 'jo'))
  })

  test('admin:create creates no user if the repeated password differs', async ({ assert }) => {
    const command = await create(['--username=jo'], {
      'Password': PASSWORD,
      'Password again': `${PASSWORD}!`,
    })
    command.assertExitCode(1)
    command.assertLogMatches(/The two passwords differ/, 'stderr')
    assert.isNull(await AdminUser.findBy('username', 'jo'))
  })

  test('a prompt of admin:create shows the error of an invalid input and asks again', async () => {
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

  test('[U13] admin:create refuses the user name as the password', async () => {
    const command = await ace.create(AdminCreate, ['--username=open.sesame'])
    command.prompt
      .trap('Password')
      .assertFails('Open.Sesame', /is the user name/)
      .replyWith(PASSWORD)
    command.prompt.trap('Password again').replyWith(PASSWORD)
    await command.exec()
    command.assertSucceeded()
  })

  test('[B11] admin:create refuses an existing or invalid user name: {$self}')
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
  group.each.setup(() => {
    ace.ui.switchMode('raw')
    return async () => {
      ace.ui.switchMode('normal')
      await AdminUser.query().delete()
    }
  })

  test('[P12] admin:create reads the password from standard input, without the newline: {end}')
    .with([{ end: '' }, { end: '\n' }, { end: '\r\n' }])
    .run(async ({ assert, cleanup }, { end }) => {
      cleanup(pipe(PASSWORD + end))
      const command = await create(['--username=jo', '--password-stdin'])
      command.assertSucceeded()
      assert.notInclude(JSON.stringify(command.logger.getLogs()), PASSWORD)
      assert.isNotNull(await verified('jo', PASSWORD))
    })

  const complete = ['--username=jo', '--password-stdin']
  test(
    '[P12] admin:create prints an error as one line on standard error and exits with status 1: {expected}'
  )
    .with([
      { args: complete, input: '', expected: /holds no password/ },
      { args: complete, input: '1234567\n', expected: /8 characters/ },
      { args: complete, input: `${PASSWORD}\n\n`, expected: /one line/ },
      { args: complete, input: new Uint8Array(8).fill(0xe4), expected: /UTF-8/ },
      { args: complete.slice(0, 1), input: PASSWORD, expected: /use --password-stdin/ },
      { args: [], input: '', expected: /use --username=NAME and --password-stdin/ },
      { args: [...complete, 'surplus-word'], input: PASSWORD, expected: /more arguments/ },
    ])
    .run(async ({ assert, cleanup }, { args, input, expected }) => {
      cleanup(pipe(input))
      const command = await create(args)
      command.assertExitCode(1)
      const logs = command.logger.getLogs()
      assert.lengthOf(logs, 1)
      assert.equal(logs[0].stream, 'stderr')
      assert.match(logs[0].message, expected)
      assert.notMatch(logs[0].message, /\n|surplus-word|1234567|open-sesame/)
      assert.lengthOf(await AdminUser.all(), 0)
    })
})

/**
 * Replaces standard input by a pipe with this content.
 *
 * @returns a function that restores it
 */
function pipe(input: string | Uint8Array): () => void {
  const before = Object.getOwnPropertyDescriptor(process, 'stdin')!
  const value = Readable.from([Buffer.from(input)])
  Object.defineProperty(process, 'stdin', { value, configurable: true })
  return () => void Object.defineProperty(process, 'stdin', before)
}
