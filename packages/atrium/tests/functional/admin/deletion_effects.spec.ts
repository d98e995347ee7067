import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import {
  adminSite,
  cookiesFrom,
  cookiesOf,
  emptyAdminTables,
  fakeHashes,
  makeUser,
  sendForm,
} from '#tests/helpers/admin'
import type { LucidCrud } from '#crud'
import {
  Fee,
  Guild,
  GUILD_TABLES,
  House,
  Letter,
  Member,
  Room,
  Song,
  Tool,
} from '#tests/fixtures/guilds'
import { call, get } from '#tests/helpers/http'
import { its } from '#tests/helpers/its'
import { unescape } from '#tests/helpers/list_page'
import { makeRole, restoreRoles } from '#tests/helpers/roles'

test.group('Admin | effects of a deletion', (group) => {
  let boss: string
  let guild: Guild
  let other: Guild

  group.tap((one) => one.tags(['@dialect']))
  group.setup(() => fakeHashes())
  group.each.setup(async () => {
    await emptyAdminTables()
    for (const table of GUILD_TABLES) await db.from(table).delete()
    boss = await cookiesOf(await makeUser('jo'))
    guild = await Guild.create({ name: 'Bakers' })
    other = await Guild.create({ name: 'Smiths' })
    return () => restoreRoles()
  })

  const ask = (model: string, ids: Array<number | string>, cookie = boss, action = 'delete') => {
    const query = new URLSearchParams([
      ...ids.map((id): [string, string] => ['ids', String(id)]),
      ['action', action],
    ])
    return get(`/admin/${model}/form_bulk_delete?${query}`, {
      headers: { accept: 'text/html', cookie },
    })
  }
  /** Each effect with its sentence and the titles below it. */
  function effectsIn(text: string) {
    const [, part = ''] =
      /<div class="deletion-effects"[^>]*>(.*?)<\/div>\s*<\/div>/s.exec(text) ?? []
    return [...part.matchAll(/data-effect="(\w+)">\s*<p>(.*?)<\/p>(.*?)(?=<div|$)/gs)].map(
      ([, effect, sentence, list]) => ({
        effect,
        sentence: unescape(sentence),
        titles: [...list.matchAll(/<bdi>(.*?)<\/bdi>/g)].map(([, title]) => unescape(title)),
      })
    )
  }
  const members = (count: number, guildId: number, name = 'Member') =>
    Member.createMany(
      Array.from({ length: count }, (_, index) => ({ name: `${name} ${index + 1}`, guildId }))
    )

  test('[R6] the confirmation lists records that are also deleted, lose their reference, or prevent the deletion', async ({
    assert,
  }) => {
    const [ann] = await members(2, guild.id)
    await members(1, other.id, 'Smith')
    await Letter.createMany([
      { title: 'To Ann', memberId: ann.id },
      { title: 'To nobody', memberId: null },
    ])
    await Tool.create({ title: 'Oven', guildId: guild.id })
    await Fee.create({ title: 'Yearly', guildId: guild.id })
    await db.table('guild_marks').multiInsert([{ guild_id: guild.id }, { guild_id: guild.id }])
    const { text } = await ask('Guild', [guild.id])
    assert.sameDeepMembers(effectsIn(text), [
      {
        effect: 'refuse',
        sentence: '1 fee prevents this: it refers to what is to be deleted',
        titles: ['Yearly'],
      },
      {
        effect: 'refuse',
        sentence: '2 other records prevent this: they refer to what is to be deleted',
        titles: [],
      },
      {
        effect: 'cascade',
        sentence: '2 members are deleted too',
        titles: ['Member 1', 'Member 2'],
      },
      { effect: 'cascade', sentence: '1 letter is deleted too', titles: ['To Ann'] },
      { effect: 'empty', sentence: '1 tool loses its reference', titles: ['Oven'] },
    ])
    assert.equal(effectsIn(text)[0].effect, 'refuse')
    assert.include(text, `href="/admin/Member/update/${ann.id}"`)
    assert.equal(
      await Member.query()
        .count('* as n')
        .then(([one]) => Number(one.$extras.n)),
      3
    )
  })

  test('[R6] no delete button is shown if the database would refuse the deletion and no application code runs before it', async ({
    assert,
    cleanup,
  }) => {
    await Fee.create({ title: 'Yearly', guildId: guild.id })
    const button = /<button[^>]*value="delete"/
    const refused = await ask('Guild', [guild.id, other.id])
    assert.notMatch(refused.text, button)
    assert.include(refused.text, '>Back</a>')
    const possible = await ask('Guild', [other.id])
    assert.match(possible.text, button)

    const site = await adminSite()
    const own = site.models.get('Guild')!.crud as Partial<LucidCrud>
    own.prepareDelete = () => {}
    cleanup(() => void delete own.prepareDelete)
    const cleared = await ask('Guild', [guild.id])
    assert.match(cleared.text, button)
  })

  test('[R6, L11] a refused or cancelled deletion returns to the page of the record', async ({
    assert,
  }) => {
    await Fee.create({ title: 'Yearly', guildId: guild.id })
    for (const page of ['update', 'view']) {
      const path = `/admin/Guild/${page}/${guild.id}?list=sort_by%3Dname`
      const { text } = await get(path, { headers: { cookie: boss } })
      const [, form] = /<form method="post" action="[^"]*form_bulk_delete"(.*?)<\/form>/s.exec(
        text
      )!
      const fields = Object.fromEntries(
        [...form.matchAll(/name="(\w+)" value="([^"]*)"/g)].map(([, name, value]) => [
          name,
          unescape(value),
        ])
      )
      const requested = await sendForm('/admin/Guild/form_bulk_delete', fields, { cookie: boss })
      assert.isTrue(fields.from.startsWith(path), fields.from)
      assert.include(unescape(requested.text), `href="${fields.from}"`)
      const sent = { ...fields, confirmed: '1' }
      const refused = await sendForm('/admin/Guild/form_bulk_delete', sent, { cookie: boss })
      assert.equal(refused.headers.get('location'), fields.from)
      const outside = { ...sent, from: 'https://elsewhere.test/' }
      const elsewhere = await sendForm('/admin/Guild/form_bulk_delete', outside, { cookie: boss })
      assert.equal(elsewhere.headers.get('location'), fields.next)
    }
  })

  test('[R6] the effects of deleting several records are combined, and omitted if nothing refers to them', async ({
    assert,
  }) => {
    await members(3, guild.id)
    await members(9, other.id, 'Smith')
    const [both] = effectsIn(await its(ask('Guild', [guild.id, other.id]), 'text'))
    assert.equal(both.sentence, '12 members are deleted too')
    assert.lengthOf(both.titles, 10)
    const empty = await Guild.create({ name: 'Empty' })
    const { text } = await ask('Guild', [empty.id])
    assert.notInclude(text, 'deletion-effects')
  })

  test('[R6] the number of affected records is counted only up to 1,000', async ({ assert }) => {
    for (let done = 0; done < 1002; done += 334) {
      const rows = Array.from({ length: 334 }, () => ({ name: 'M', guild_id: guild.id }))
      await db.table('guild_members').multiInsert(rows)
    }
    const [effect] = effectsIn(await its(ask('Guild', [guild.id]), 'text'))
    assert.equal(effect.sentence, 'more than 1,000 members are deleted too')
  })

  test('[R6] self-references are followed, and selected records are not listed as effects', async ({
    assert,
  }) => {
    const house = await House.create({ name: 'Hall' })
    const hall = await Room.create({ name: 'Hall', houseId: house.id })
    const closet = await Room.create({ name: 'Closet', withinId: hall.id })
    await Room.create({ name: 'Box', withinId: closet.id })
    const purge = effectsIn(await its(ask('House', [house.id], boss, 'purge'), 'text'))
    assert.lengthOf(purge, 1)
    assert.sameMembers(purge[0].titles, ['Hall', 'Closet', 'Box'])
    const rooms = effectsIn(await its(ask('Room', [hall.id, closet.id]), 'text'))
    assert.deepEqual(
      rooms.map(({ titles }) => titles),
      [['Box']]
    )
  })

  test('[R6] lists open the confirmation page instead of a dialog, unless deleted records can be restored', async ({
    assert,
  }) => {
    await House.create({ name: 'Hall' })
    const buttonOf = async (model: string) => {
      const list = get(`/admin/${model}/`, { headers: { accept: 'text/html', cookie: boss } })
      return /<button [^>]*value="delete"[^>]*>/.exec(await its(list, 'text'))![0]
    }
    const lasting = await buttonOf('Guild')
    assert.include(lasting, 'data-asks')
    assert.notInclude(lasting, 'data-url')
    assert.include(await buttonOf('House'), 'data-url')
  })

  test('[R6] a deletion that can be restored shows no other effects', async ({ assert }) => {
    const house = await House.create({ name: 'Hall' })
    await Room.create({ name: 'Cellar', houseId: house.id })
    const { text } = await ask('House', [house.id])
    assert.equal(text.includes('deletion-effects'), false)
    assert.include(text, 'Hall')
  })

  test('[R6] referring records without a foreign key are listed as unchanged', async ({
    assert,
  }) => {
    await Song.create({ title: 'Anthem', guildId: guild.id })
    assert.deepEqual(effectsIn(await its(ask('Guild', [guild.id]), 'text')), [
      {
        effect: 'leave',
        sentence: '1 song stays and refers to something that is gone',
        titles: ['Anthem'],
      },
    ])
  })

  test('[R6, U4] records that the user cannot see are counted without a title', async ({
    assert,
  }) => {
    await members(1, guild.id)
    await Member.create({ name: 'Sealed', guildId: guild.id })
    await Tool.create({ title: 'QZXTOOL', guildId: guild.id })
    await Fee.create({ title: 'QZXFEE', guildId: guild.id })
    await makeRole('Some', { Guild: { actions: ['*'] }, Member: { actions: ['view'] } })
    const kim = await cookiesOf(await makeUser('kim', { isSuperuser: false, roles: ['Some'] }))
    const { text, status } = await ask('Guild', [guild.id], kim)
    assert.equal(status, 200)
    assert.notInclude(text, 'QZX')
    assert.notMatch(text.replaceAll(/<[^>]*>/g, ' '), /\b(fees?|tools?|letters?)\b/i)
    assert.sameDeepMembers(effectsIn(text), [
      {
        effect: 'refuse',
        sentence: '1 other record prevents this: it refers to what is to be deleted',
        titles: [],
      },
      { effect: 'cascade', sentence: '2 members are deleted too', titles: ['Member 1'] },
      { effect: 'empty', sentence: '1 other record loses its reference', titles: [] },
    ])
    assert.include(text, '/admin/Member/view/')
  })

  test('[R6, U4] records whose reference is hidden from the user are counted without a title', async ({
    assert,
  }) => {
    const [ann] = await members(1, guild.id, 'QZXANN')
    await Letter.create({ title: 'QZXLETTER', memberId: ann.id })
    await Tool.create({ title: 'Oven', guildId: guild.id })
    await Fee.create({ title: 'QZXFEE', guildId: guild.id })
    await makeRole('Some', {
      Guild: { actions: ['*'] },
      Member: { actions: ['view'], hidden: ['guild_id'] },
      Letter: { actions: ['view'] },
      Tool: { actions: ['view'] },
      Fee: { actions: ['view'], hidden: ['guild_id'] },
    })
    const kim = await cookiesOf(await makeUser('kim', { isSuperuser: false, roles: ['Some'] }))
    const { text } = await ask('Guild', [guild.id], kim)
    assert.notInclude(text, 'QZX')
    assert.sameDeepMembers(effectsIn(text), [
      {
        effect: 'refuse',
        sentence: '1 other record prevents this: it refers to what is to be deleted',
        titles: [],
      },
      { effect: 'cascade', sentence: '2 other records are deleted too', titles: [] },
      { effect: 'empty', sentence: '1 tool loses its reference', titles: ['Oven'] },
    ])
    const refused = await call('DELETE', '/admin/Guild/bulk-delete', {
      headers: { cookie: kim },
      json: { ids: [guild.id] },
    })
    assert.notInclude(refused.text, 'QZX')
  })

  test('[R6, U4] records whose reference is hidden on some records only are counted without a title', async ({
    assert,
  }) => {
    await Tool.createMany(['Oven', 'QZXTOOL'].map((title) => ({ title, guildId: guild.id })))
    await makeRole('Some', {
      Guild: { actions: ['*'] },
      Tool: { actions: ['view'], hidden: ['guild_id'] },
    })
    await makeRole('Baker', { Tool: { actions: ['view'], scopes: ['ovens'] } })
    const roles = ['Some', 'Baker']
    const kim = await cookiesOf(await makeUser('kim', { isSuperuser: false, roles }))
    assert.deepEqual(effectsIn(await its(ask('Guild', [guild.id], kim), 'text')), [
      { effect: 'empty', sentence: '2 other records lose their reference', titles: [] },
    ])
  })

  test('[R6, S52] a refused deletion names the records that still refer to the record', async ({
    assert,
  }) => {
    await Fee.createMany(['A', 'B', 'C', 'D'].map((title) => ({ title, guildId: guild.id })))
    const message = 'Other items still refer to this one: 4 fees (A, B, C, …)'
    const json = await call('DELETE', '/admin/Guild/bulk-delete', {
      headers: { cookie: boss },
      json: { ids: [guild.id] },
    })
    assert.equal(json.status, 400)
    assert.include(json.text, message)
    const fields = { ids: String(guild.id), action: 'delete', confirmed: '1' }
    const done = await sendForm('/admin/Guild/form_bulk_delete', fields, { cookie: boss })
    const list = await get('/admin/Guild/', {
      headers: { accept: 'text/html', cookie: `${boss}; ${cookiesFrom(done)}` },
    })
    assert.include(unescape(list.text), message)
    assert.isNotNull(await Guild.find(guild.id))
  })
})
