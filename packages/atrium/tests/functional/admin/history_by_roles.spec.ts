import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import { AdminUser, type PermissionsDocument } from '#admin'
import { Play, Stage } from '#tests/fixtures/stages'
import {
  adminSite,
  cookiesOf,
  emptyAdminTables,
  fakeHashes,
  makeUser,
  sendForm,
} from '#tests/helpers/admin'
import { get } from '#tests/helpers/http'
import { ago, emptyEventTables, logEvent } from '#tests/helpers/logged_events'
import { its } from '#tests/helpers/its'
import { makeRole, restoreRoles } from '#tests/helpers/roles'

const plain = (html: string) =>
  html
    .replace(/^.*?<main|<\/main>.*$/gs, '')
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')

/** The history of a record is for everybody who can see it, without what they may not see. [R9] */
test.group('Admin | record history by roles', (group) => {
  group.setup(() => fakeHashes())
  group.each.setup(async () => {
    await emptyAdminTables()
    await restoreRoles()
    for (const table of ['play_tickets', 'plays', 'stages']) await db.from(table).delete()
    await emptyEventTables()
    return () => restoreRoles()
  })

  async function enter(...documents: PermissionsDocument[]): Promise<string> {
    await AdminUser.query().where('username', 'kim').delete()
    await db.from('admin_roles').whereLike('name', 'Role %').delete()
    for (const [index, document] of documents.entries()) await makeRole(`Role ${index}`, document)
    const roles = documents.map((_, index) => `Role ${index}`)
    return await cookiesOf(await makeUser('kim', { isSuperuser: false, roles }))
  }

  async function history(cookie: string, id: number, query = '') {
    const response = await get(`/admin/Play/history/${id}${query}`, { headers: { cookie } })
    return { ...response, plain: plain(response.text) }
  }

  const view = { actions: ['view'] }

  /** A play that a request of ada changed together with other records */
  async function changed(town = 'east'): Promise<Play> {
    const stage = await Stage.create({ name: 'Globe QZXSTAGE', town: 'west' })
    const play = await Play.create({ title: 'New', town, secret: 'Loud', stageId: stage.id })
    await emptyEventTables()
    const record = { resource_type: 'Play', resource_id: String(play.id) }
    const before = { id: play.id, title: 'Old', town, secret: 'QZXHUSH', stage_id: null }
    const after = { ...before, title: 'New', secret: 'QZXLOUD', stage_id: stage.id }
    await logEvent(
      {
        username: 'ada',
        user_agent: 'QZXBROWSER',
        ip_address: '192.0.2.77',
        resource_type: 'Stage',
        details: { count: 7, token_name: 'QZXTOKEN', job: 31 },
      },
      [
        { ...record, before, after },
        {
          resource_type: 'Stage',
          resource_id: '4321',
          before: { name: 'QZXOTHER' },
          after: { name: 'QZXOTHER 2' },
        },
      ]
    )
    return play
  }

  test('[R9] a viewer sees who changed which fields and when, and nothing of the request or other records', async ({
    assert,
  }) => {
    const { id } = await changed()
    const cookie = await enter({ Play: view })
    const found = await history(cookie, id)
    assert.equal(found.status, 200)
    assert.match(found.plain, /Changed \d+ \w+ \d+, [\d:]+ .*ada together with other records/)
    assert.include(found.plain, 'Changed: Title, Secret, Stage')
    assert.match(found.plain, /Title Old New/)
    assert.include(found.plain, 'QZXLOUD')
    assert.notMatch(
      found.text,
      /QZXBROWSER|192\.0\.2\.77|QZXTOKEN|QZXOTHER|4321|QZXSTAGE|job 31|\/management\/events|\b7\b records/
    )

    const root = await cookiesOf(await makeUser('root'))
    const whole = await history(root, id)
    assert.match(whole.text, /QZXTOKEN/)
    assert.include(whole.plain, 'Globe QZXSTAGE')
    assert.include(whole.text, '/admin/management/events/')
  })

  test('[R9, U2] the history contains no value and no name of a field that the roles hide', async ({
    assert,
  }) => {
    const { id } = await changed()
    const hides = await enter({ Play: { ...view, hidden: ['secret', 'title'] } })
    const found = await history(hides, id)
    assert.include(found.plain, 'Changed: Stage')
    assert.notMatch(found.plain, /Secret|QZX|Title|\bOld\b|\bNew\b/)
    const all = ['secret', 'title', 'stage_id', 'town']
    const blind = await history(await enter({ Play: { ...view, hidden: all } }), id)
    assert.include(blind.plain, 'No changes that you can see.')
    assert.notMatch(blind.plain, /Secret|QZX|Title|Old|New/)
  })

  test('[R9, U3] values that roles show on some records only are shown in the history of those records', async ({
    assert,
  }) => {
    const east = await changed('east')
    const west = await changed('west')
    await emptyEventTables()
    for (const { id } of [east, west]) {
      const record = { resource_type: 'Play', resource_id: String(id) }
      await logEvent(record, [
        {
          ...record,
          before: { title: 'a', secret: 'QZXA' },
          after: { title: 'b', secret: 'QZXB' },
        },
      ])
    }
    const cookie = await enter(
      { Play: { ...view, scopes: ['east'], hidden: ['secret'] } },
      { Play: { ...view, scopes: ['west'] } }
    )
    const hidden = await history(cookie, east.id)
    assert.equal(hidden.status, 200)
    assert.notMatch(hidden.text, /QZX|Secret/)
    const shown = await history(cookie, west.id)
    assert.include(shown.plain, 'Changed: Title, Secret')
    assert.match(shown.plain, /Secret QZXA QZXB/)
  })

  test('[R9, U4] titles of references are shown only to users who can see the referenced record', async ({
    assert,
  }) => {
    const { id, stageId } = await changed()
    const both = await history(await enter({ Play: view, Stage: view }), id)
    assert.match(both.plain, /Stage Empty Globe QZXSTAGE/)
    const one = await history(await enter({ Play: view }), id)
    assert.match(one.plain, new RegExp(`Stage Empty ${stageId}`))
    assert.notInclude(one.text, 'QZXSTAGE')
  })

  test('[R9, U4] a record out of scope, or of a model without the view permission, has no history', async ({
    assert,
  }) => {
    const east = await changed('east')
    const west = await changed('west')
    const ofEast = await enter({ Play: { ...view, scopes: ['east'] } })
    assert.equal(await its(history(ofEast, east.id), 'status'), 200)
    const [far, none] = [await history(ofEast, west.id), await history(ofEast, 987_654)]
    assert.deepEqual([far.status, none.status], [404, 404])
    assert.equal(far.plain, none.plain)
    const others = await enter({ Stage: view })
    assert.equal(await its(history(others, east.id), 'status'), 404)
    const old = `/admin/management/events/record/Play/${east.id}`
    assert.equal(await its(get(old, { headers: { cookie: others } }), 'status'), 404)
  })

  test('[R8, R9] the history of a purged record is only for users who can see all records of the model', async ({
    assert,
  }) => {
    const { id } = await changed()
    await db.from('plays').where('id', id).delete()
    const all = { Play: view }
    const narrow = { Play: { ...view, scopes: ['east'] } }
    for (const [documents, status] of [
      [[all], 200],
      [[{ Play: { ...view, hidden: ['secret'] } }], 404],
      [[narrow], 404],
      [[{ Play: { ...view, scopes: ['east'], hidden: ['secret'] } }, narrow], 404],
      [[narrow, all], 200],
      [[{ Stage: view }], 404],
    ] as Array<[PermissionsDocument[], number]>) {
      const found = await history(await enter(...documents), id)
      assert.equal(found.status, status, JSON.stringify(documents))
      if (status !== 200) assert.notInclude(found.text, 'QZX')
    }
    const root = await cookiesOf(await makeUser('root'))
    const found = await history(root, id)
    assert.equal(found.status, 200)
    assert.include(found.plain, 'Deleted for good')
  })

  test('[R9, U3] an earlier record with the same key is hidden from users who can see only some records', async ({
    assert,
  }) => {
    const { id } = await changed('east')
    await emptyEventTables()
    const record = { resource_type: 'Play', resource_id: String(id) }
    const state = (title: string) => ({ id, title })
    const log = (type: string, minutes: number, before: object | null, after: object | null) =>
      logEvent({ ...record, event_type: type, timestamp: ago({ minutes }) }, [
        { ...record, before, after } as any,
      ])
    await log('CREATE', 30, null, state('QZXFIRST'))
    await log('DELETE', 20, state('QZXFIRST'), null)
    await log('CREATE', 10, null, state('Second'))
    await log('UPDATE', 5, state('Second'), state('Third'))
    const some = await history(await enter({ Play: { ...view, scopes: ['east'] } }), id)
    assert.include(some.plain, 'Second')
    assert.notInclude(some.text, 'QZXFIRST')
    assert.include(await its(history(await enter({ Play: view }), id), 'text'), 'QZXFIRST')
    await db
      .from('admin_audit_log')
      .where({ resource_id: String(id) })
      .delete()
    await log('DELETE', 20, state('QZXFIRST'), null)
    await log('UPDATE', 5, state('Second'), state('Third'))
    const unlogged = await history(await enter({ Play: { ...view, scopes: ['east'] } }), id)
    assert.include(unlogged.plain, 'Third')
    assert.notInclude(unlogged.text, 'QZXFIRST')
  })

  test('[R9] keys of related records are shown only to users who can see all of them', async ({
    assert,
  }) => {
    const { id } = await changed()
    await emptyEventTables()
    const record = { resource_type: 'Play', resource_id: String(id) }
    const [before, after] = [[4321], [4321, 8765]]
    await logEvent(record, [{ ...record, before: { tickets: before }, after: { tickets: after } }])
    const ticket = { Ticket: view }
    assert.include(await its(history(await enter({ Play: view, ...ticket }), id), 'text'), '8765')
    const blind = await history(await enter({ Play: view }), id)
    assert.notMatch(blind.text, /Tickets|8765/)
  })

  test('[R9] page and form link to the history for users who can see the record', async ({
    assert,
  }) => {
    const { id } = await changed()
    const link = `href="/admin/Play/history/${id}"`
    const viewer = { headers: { cookie: await enter({ Play: view }) } }
    assert.include(await its(get(`/admin/Play/view/${id}`, viewer), 'text'), link)
    const clerk = { headers: { cookie: await enter({ Play: { actions: ['view', 'update'] } }) } }
    assert.include(await its(get(`/admin/Play/update/${id}`, clerk), 'text'), link)
    const page = await history(clerk.headers.cookie, id)
    assert.include(page.text, `href="/admin/Play/update/${id}"`)
  })

  test('[R9, R7] the history distinguishes deletions, restores and undos, and shows where the log begins', async ({
    assert,
  }) => {
    const play = await changed()
    await emptyEventTables()
    const cookie = await enter({ Play: { actions: ['view', 'delete', 'restore'] } })
    const form = { ids: String(play.id), confirmed: '1' }
    const send = (action: string) =>
      sendForm('/admin/Play/form_bulk_delete', { ...form, action }, { cookie })
    await send('delete')
    await send('restore')
    const site = await adminSite()
    await site.events.settle()
    const { id: last } = await db.from('admin_event_log').orderBy('id', 'desc').firstOrFail()
    await sendForm(`/admin/management/events/${last}/undo`, {}, { cookie })
    const found = await history(cookie, play.id)
    assert.match(
      found.plain,
      /Deleted .*Undoes event .*Restored .* kim .*Deleted .*can be restored/
    )
    assert.include(found.plain, 'The log has no earlier events')
  })
})
