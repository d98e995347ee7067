/*
 * Commands as processes: exit status, output streams, and concurrent runs. Their functions are
 * tested in packages/atrium/tests/unit.
 */
import { rm } from 'node:fs/promises'
import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'
import { AdminSite, AdminUser } from '#admin'
import { runAce } from '#tests/helpers/ace_process'
import { emptyEventTables } from '#tests/helpers/events'
import { loggedEvents } from '#tests/helpers/model_events'
import { makeUser } from '#tests/helpers/admin'

const PASSWORD = 'open-sesame'
const CREATE = ['admin:create', '--password-stdin']

test.group('Commands in separate processes', (group) => {
  group.each.setup(async () => {
    const empty = async () => void (await AdminUser.query().delete())
    await empty()
    return empty
  })

  test('[P12] [B11] [E3] admin:create reads the password from a pipe, and of two concurrent creates one fails and one is logged', async ({
    assert,
  }) => {
    await emptyEventTables()
    const ends = await Promise.all(
      ['Ann', 'ann'].map((username) =>
        runAce([...CREATE, `--username=${username}`], { input: `${PASSWORD}\n` })
      )
    )
    const [failed, ...others] = ends.filter(({ status }) => status !== 0)
    assert.isEmpty(others)
    assert.equal(failed.status, 1)
    assert.equal(failed.out, '')
    assert.match(failed.err, /^.*The user name [Aa]nn is taken\n$/)
    const [user, ...more] = await AdminUser.all()
    assert.isEmpty(more)

    const { out, err } = ends.find(({ status }) => status === 0)!
    assert.notInclude(out + err, PASSWORD)
    const { adminUserService } = await app.container.make(AdminSite)
    assert.isNotNull(await adminUserService.verify(user.username, PASSWORD))

    const events = await loggedEvents()
    assert.deepEqual(
      events.map(({ eventType, resourceType }) => [eventType, resourceType]),
      [['CREATE', 'AdminUser']]
    )
  })

  test('[P12] a failed command prints one line to standard error, also with --json, and names the command to run', async ({
    assert,
    cleanup,
  }) => {
    const database = `${process.env.DB_DATABASE}-empty`
    cleanup(() => rm(app.makePath(database), { force: true }))
    const { status, out, err } = await runAce(['admin:sessions', 'jo', '--json'], { database })
    assert.deepEqual([status, out], [1, ''])
    assert.match(err, /^[^\n]*node ace migrate\n$/)
  })

  test('[P12] commands with --json print only JSON to standard output', async ({ assert }) => {
    await makeUser('jo')
    const { status, out, err } = await runAce(['admin:list', '--json'])
    assert.equal(status, 0)
    assert.equal(err, '')
    assert.equal(JSON.parse(out)[0].username, 'jo')
  })
})
