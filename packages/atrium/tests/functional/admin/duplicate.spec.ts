import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { cookiesOf, emptyAdminTables, fakeHashes, makeUser, sendForm } from '#tests/helpers/admin'
import { Guild, GUILD_TABLES, Member } from '#tests/fixtures/guilds'
import { Play } from '#tests/fixtures/stages'
import { formOf } from '#tests/helpers/forms'
import { get } from '#tests/helpers/http'
import { its } from '#tests/helpers/its'
import { unescape } from '#tests/helpers/list_page'
import { makeRole, restoreRoles } from '#tests/helpers/roles'
import { withoutTokens } from '#tests/helpers/without_tokens'

const FILE = `${'a'.repeat(32)}.txt`

test.group('Admin | duplicating records', (group) => {
  let boss: string
  let guild: Guild

  group.setup(() => fakeHashes())
  group.each.setup(async () => {
    await emptyAdminTables()
    for (const table of [...GUILD_TABLES, 'play_tickets', 'plays']) {
      await db.from(table).delete()
    }
    boss = await cookiesOf(await makeUser('jo'))
    guild = await Guild.create({
      name: 'Bakers',
      seal: 'QZXSEAL',
      motto: 'Bread\nand "salt"',
      password: 'QZXPASS',
    })
    return () => restoreRoles()
  })

  const open = (path: string, cookie = boss) =>
    get(path, { headers: { accept: 'text/html', cookie } })

  test('[R11] Duplicate opens the form of a new record with the values of this one', async ({
    assert,
  }) => {
    for (const page of ['update', 'view']) {
      const { text } = await open(`/admin/Guild/${page}/${guild.id}`)
      assert.include(text, `href="/admin/Guild/create_page?from=${guild.id}"`)
    }
    const { text } = await open(`/admin/Guild/create_page?from=${guild.id}`)
    const { action, values } = formOf(text)
    assert.include(text, 'Bakers')
    assert.include(unescape(text), 'Bread\nand "salt"')
    assert.notInclude(text, 'QZX')
    const done = await sendForm(action, { ...values, name: 'Bakers' }, { cookie: boss })
    assert.equal(done.status, 303)
    assert.lengthOf(await Guild.query().where('name', 'Bakers'), 2)
  })

  test('[R11] a copied record keeps references that belong to a unique index over several columns', async ({
    assert,
  }) => {
    const { id } = await Member.create({ name: 'Ann', place: 734, guildId: guild.id })
    const { text } = await open(`/admin/Member/create_page?from=${id}`)
    assert.match(text, new RegExp(`<option value="${guild.id}" selected`))
    assert.notInclude(text, '734')
    assert.include(text, 'Ann')
  })

  test('[R11] files are not copied, which the page says, and the query string overrides copied values', async ({
    assert,
  }) => {
    const { id } = await Play.create({ title: 'Lear', town: 'east', poster: FILE, note: 'n' })
    const { text } = await open(`/admin/Play/create_page?from=${id}&title=Timon`)
    assert.notInclude(text, FILE)
    assert.include(text, 'Files are not copied: choose them again.')
    const bare = await Play.create({ title: 'Hamlet', town: 'east', note: 'n' })
    const without = await open(`/admin/Play/create_page?from=${bare.id}`)
    assert.notInclude(without.text, 'Files are not copied')
    assert.equal(formOf(text).values.title, 'Timon')
    assert.equal(formOf(text).values.note, 'n')
  })

  test('[R11, U4] only values that the user can see are copied, and only if they can create records', async ({
    assert,
  }) => {
    const play = await Play.create({ title: 'Lear', town: 'east', secret: 'QZX', note: 'QZXN' })
    const path = `/admin/Play/create_page?from=${play.id}`
    const cases = [
      [{ actions: ['*'], hidden: ['secret'], readonly: ['note'] }, 200],
      [{ actions: ['*'], scopes: ['west'] }, 404],
      [{ actions: ['view'] }, 403],
    ] as const
    for (const [entry, status] of cases) {
      await makeRole('Some', { Play: entry as any })
      const user = await makeUser('kim', { isSuperuser: false, roles: ['Some'] })
      const response = await open(path, await cookiesOf(user))
      assert.equal(response.status, status)
      assert.notInclude(response.text, 'QZX')
      assert.equal(withoutTokens(response.text).includes('Lear'), status === 200)
      await user.delete()
      await restoreRoles()
    }
    await makeRole('Reader', { Play: { actions: ['view'] } })
    const reader = await makeUser('lou', { isSuperuser: false, roles: ['Reader'] })
    const { text } = await open(`/admin/Play/view/${play.id}`, await cookiesOf(reader))
    assert.notInclude(text, 'create_page')
  })

  test('[R11] a missing record is not found, and users can’t be copied', async ({ assert }) => {
    for (const id of ['99999', 'x', '1/2', '']) {
      assert.equal(await its(open(`/admin/Guild/create_page?from=${id}`), 'status'), 404, id)
    }
    const { id } = await db.from('admin_users').first()
    const { text } = await open(`/admin/AdminUser/create_page?from=${id}`)
    assert.notMatch(text, /value="jo"/)
    assert.notInclude(await its(open(`/admin/AdminUser/update/${id}`), 'text'), '?from=')
  })
})
