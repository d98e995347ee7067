import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import ace from '@adonisjs/core/services/ace'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { AdminRole } from '#admin'
import AdminRoles from '#admin/commands/admin_roles'
import { emptyAdminTables, makeUser } from '#tests/helpers/admin'
import { emptyEventTables } from '#tests/helpers/events'
import { makeRole, permissionsVersionOf, restoreRoles, roleIdOf } from '#tests/helpers/roles'

const CLERK = {
  'Reel': {
    actions: ['view', 'update'],
    hidden: ['us_gross'],
    readonly: ['title'],
    scopes: ['ownBranch'],
  },
  '*': { actions: ['view'] },
}

async function run(args: string[]) {
  ace.ui.logger.flushLogs()
  const command = await ace.create(AdminRoles, args)
  await command.exec()
  return { command, logs: command.logger.getLogs().map(({ message }) => message) }
}

test.group('admin:roles', (group) => {
  let folder: string

  group.each.setup(async () => {
    ace.ui.switchMode('raw')
    folder = await mkdtemp(join(tmpdir(), 'roles-'))
    await emptyAdminTables()
    await restoreRoles()
    await emptyEventTables()
    return async () => {
      ace.ui.switchMode('normal')
      await rm(folder, { recursive: true })
      await emptyAdminTables()
      await restoreRoles()
    }
  })

  async function fileWith(value: unknown): Promise<string> {
    const path = join(folder, 'roles.json')
    await writeFile(path, typeof value === 'string' ? value : JSON.stringify(value))
    return path
  }

  async function refused(args: string[], message: RegExp) {
    const { command } = await run(args)
    command.assertExitCode(1)
    command.assertLogMatches(message, 'stderr')
  }

  const names = async () => {
    const roles = await AdminRole.query().orderBy('name')
    return roles.map(({ name }) => name)
  }

  test('[U6] admin:roles lists the roles, the number of their users and what they allow, in words', async () => {
    await makeRole('Clerk', CLERK)
    await makeUser('jo', { isSuperuser: false, roles: ['Clerk'] })
    const { command } = await run([])
    command.assertSucceeded()
    command.assertTableRows([
      [
        'Clerk',
        '1',
        "Reel: view, update; without us_gross; title can't be changed; only ownBranch",
      ],
      ['', '', 'All other models: view'],
      ['', '', '(unknown: the scope ownBranch of Reel)'],
      ['Everything', '0', 'All models: everything'],
      ['Read only', '0', 'All models: view'],
    ])
  })

  test('[U6] admin:roles --json prints the list of roles as JSON', async ({ assert }) => {
    await makeRole('Clerk', CLERK, 'At the desk')
    const { logs } = await run(['--json'])
    const { roles } = JSON.parse(logs[0])
    const { id, ...clerk } = roles[0]
    assert.isNumber(id)
    assert.deepEqual(clerk, {
      name: 'Clerk',
      description: 'At the desk',
      permissions: CLERK,
      users: 0,
      unknown: ['the scope ownBranch of Reel'],
    })
  })

  test('[U6] admin:roles --import of the file that --export wrote creates the same roles', async ({
    assert,
  }) => {
    await makeRole('Clerk', CLERK, 'At the desk')
    const { logs } = await run(['--export'])
    const exported = JSON.parse(logs.join('\n'))
    assert.deepEqual(exported.roles[0], {
      name: 'Clerk',
      description: 'At the desk',
      permissions: CLERK,
    })
    assert.deepEqual(Object.keys(exported), ['roles'])

    const path = await fileWith(exported)
    await restoreRoles()
    const there = await run([`--import=${path}`])
    there.command.assertSucceeded()
    assert.deepEqual(there.logs, [
      'Made: Clerk',
      "  + Reel: view, update; without us_gross; title can't be changed; only ownBranch",
      '  + All other models: view',
      '[ yellow(warn) ] Clerk names the scope ownBranch of Reel, which the application does not have: it allows nothing',
    ])
    const again = await run(['--export'])
    assert.deepEqual(JSON.parse(again.logs.join('\n')), exported)
    const check = await run([`--import=${path}`, '--check'])
    check.command.assertSucceeded()
  })

  test('[U6, U6.5] admin:roles --import prints its changes, and does not change other roles', async ({
    assert,
  }) => {
    const clerk = await makeRole('Clerk', CLERK)
    const jo = await makeUser('jo', { isSuperuser: false, roles: ['Clerk'] })
    const before = await permissionsVersionOf(jo)
    const path = await fileWith({
      roles: [
        { name: 'Clerk', description: 'New', permissions: { Reel: { actions: ['view'] } } },
        { name: 'Manager', permissions: { '*': { actions: ['*'] } } },
        { name: 'Read only', ...readOnly },
      ],
    })
    const check = await run([`--import=${path}`, '--check'])
    check.command.assertExitCode(1)
    const lines = [
      "  - Reel: view, update; without us_gross; title can't be changed; only ownBranch",
      '  - All other models: view',
      '  + Reel: view',
    ]
    assert.deepEqual(check.logs, [
      'Differs: Clerk (description, permissions)',
      ...lines,
      'Missing: Manager',
      '  + All models: everything',
    ])
    assert.deepEqual(await names(), ['Clerk', 'Everything', 'Read only'])

    const { command, logs } = await run([`--import=${path}`])
    command.assertSucceeded()
    assert.deepEqual(logs, [
      'Changed: Clerk (description, permissions)',
      ...lines,
      'Made: Manager',
      '  + All models: everything',
    ])
    assert.deepEqual(await names(), ['Clerk', 'Everything', 'Manager', 'Read only'])
    assert.equal(await roleIdOf('Clerk'), clerk.id)
    assert.equal(await permissionsVersionOf(jo), before + 1)
    const events = await db
      .from('admin_event_log')
      .where('resource_type', 'AdminRole')
      .whereNotNull('username')
    assert.sameMembers(
      events.map(({ username, event_type: type }) => `${username} ${type}`),
      ['system: admin:roles UPDATE', 'system: admin:roles CREATE']
    )
  })

  test('[U6] admin:roles --prune deletes the roles that are not in the imported file', async ({
    assert,
  }) => {
    const path = await fileWith({ roles: [{ name: 'Read only', ...readOnly }] })
    await makeUser('jo', { isSuperuser: false, roles: ['Everything'] })
    const check = await run([`--import=${path}`, '--check', '--prune'])
    check.command.assertExitCode(1)
    assert.deepEqual(check.logs, ['Not in the file: Everything (1 user has it)'])
    const { logs } = await run([`--import=${path}`, '--prune', '--json'])
    assert.deepEqual(JSON.parse(logs[0]), {
      changes: [{ kind: 'delete', name: 'Everything', fields: [] }],
      written: true,
      unknown: [],
    })
    assert.deepEqual(await names(), ['Read only'])
    const shown = await run([])
    shown.command.assertLogMatches(/defaultRole is "Everything", and no role is called so/)
  })

  test('[U6.5] admin:roles --import warns about unknown names, and accepts them', async ({
    assert,
  }) => {
    const permissions = {
      'Real': { actions: ['view'] },
      'Reel': { actions: ['veiw'], hidden: ['us_gros'], scopes: ['elsewhere'] },
      'AdminUser': { actions: ['view'] },
      '*': { actions: ['view'] },
    }
    const path = await fileWith({ roles: [{ name: 'Clerk', permissions }] })
    const { logs } = await run([`--import=${path}`, '--json'])
    const tail = 'which the application does not have: it allows nothing'
    assert.sameMembers(JSON.parse(logs[0]).unknown, [
      `Clerk names the model Real, ${tail}; did you mean Reel?`,
      `Clerk names the action veiw of Reel, ${tail}; did you mean view?`,
      `Clerk names the field us_gros of Reel, ${tail}; did you mean us_gross?`,
      `Clerk names the scope elsewhere of Reel, ${tail}`,
      `Clerk names the model AdminUser, which is the site's own and for superusers only`,
    ])
    assert.include(await names(), 'Clerk')
  })

  test('[U6] the table of admin:roles has no colours in a pipe', async ({ assert, cleanup }) => {
    const { isTTY } = process.stdout
    cleanup(() => void (process.stdout.isTTY = isTTY))
    process.stdout.isTTY = false
    ace.ui.switchMode('normal')
    cleanup(() => void ace.ui.switchMode('raw'))
    const told: string[] = []
    const { log } = console
    console.log = (text: string) => void told.push(text)
    cleanup(() => void (console.log = log))
    await run([])
    assert.include(told.join(''), 'Read only')
    // eslint-disable-next-line no-control-regex
    assert.notMatch(told.join(''), /\u001b/)
  })

  test('[U6] admin:roles --import of a file with errors changes nothing, and lists all of them', async ({
    assert,
  }) => {
    for (const [file, message] of [
      ['{', /roles\.json: It is not JSON/],
      [[], /has no list "roles"/],
      [{ roles: [{ name: 'New', permissions: {} }, { permissions: {} }] }, /Role 2 has no name/],
      [{ roles: [{ name: 'A', permissions: { Reel: {} } }] }, /'A': Reel has no actions/],
      [{ roles: [{ name: 'none', permissions: {} }] }, /No role is called none/],
      [{ roles: [{ name: 'A', permission: {} }] }, /'A' has the key 'permission'/],
      [
        {
          roles: [
            { name: 'A', permissions: {} },
            { name: 'A', permissions: {} },
          ],
        },
        /'A' is there twice/,
      ],
    ] as const) {
      await refused([`--import=${await fileWith(file)}`], message)
    }
    assert.deepEqual(await names(), ['Everything', 'Read only'])
    await refused(
      ['--import=/nowhere/roles.json'],
      /The file \/nowhere\/roles\.json does not exist/
    )
    await refused(['--check'], /go with --import=FILE/)
    await refused(['--export', '--import=x'], /Use one of/)
  })
})

const readOnly = {
  description: 'May view all models, and change nothing',
  permissions: { '*': { actions: ['view'] } },
}
