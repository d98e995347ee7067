import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import type { AdminUser, PermissionsDocument } from '#admin'
import { EventReader } from '#admin/event_log/event_reader'
import { Play } from '#tests/fixtures/stages'
import { cookiesOf, emptyAdminTables, fakeHashes, makeUser } from '#tests/helpers/admin'
import { get } from '#tests/helpers/http'
import { ago, emptyEventTables, logEvent, withIntegration } from '#tests/helpers/logged_events'
import { makeRole, restoreRoles } from '#tests/helpers/roles'

/** Titles of the viewer's recent records, and the paths of those that are links. */
function shown(text: string): Array<[title: string, path: string | null]> {
  const [, part = ''] = /id="dashboard-mine"(.*?)<\/section>/s.exec(text) ?? []
  return [...part.matchAll(/(?:<a href="([^"]*)">)?<bdi>(.*?)<\/bdi>/gs)].map(
    ([, path = null, title]) => [title, path]
  )
}

test.group('Admin | recent records', (group) => {
  group.setup(() => fakeHashes())
  group.each.setup(async () => {
    await emptyAdminTables()
    await restoreRoles()
    await emptyEventTables()
    for (const table of ['play_tickets', 'plays', 'stages']) await db.from(table).delete()
    return () => restoreRoles()
  })

  async function begin(document?: PermissionsDocument) {
    if (document) await makeRole('Own', document)
    const user = await makeUser('kim', { isSuperuser: !document, roles: document ? ['Own'] : [] })
    const cookie = await cookiesOf(user)
    const look = async () => {
      const { text } = await get('/admin', { headers: { cookie } })
      return { text, titles: shown(text) }
    }
    return { user, look }
  }

  /** Logs that a user wrote records: in one event, some minutes ago. */
  async function wrote(
    { id, username }: Pick<AdminUser, 'id' | 'username'>,
    plays: Array<Pick<Play, 'id'>>,
    minutes: number,
    event: { event_type?: string; status?: string } = {}
  ) {
    await logEvent(
      { user_id: id, username, resource_type: 'Play', timestamp: ago({ minutes }), ...event },
      plays.map((play) => ({
        resource_type: 'Play',
        resource_id: String(play.id),
        before: { title: 'Old title' },
        after: { title: 'Then' },
      }))
    )
  }

  const plays = (...titles: string[]) =>
    Play.createMany(titles.map((title) => ({ title, town: title === 'Lear' ? 'west' : 'east' })))

  test('[B23] recent records are those that the viewer created or changed, once each, newest first, with current titles', async ({
    assert,
  }) => {
    const [hamlet, lear, faust, other, gone] = await plays('Hamlet', 'Lear', '<b>', 'Other', 'Gone')
    const { user, look } = await begin()
    await wrote(user, [hamlet], 50, { event_type: 'CREATE' })
    await wrote(user, [lear, faust], 40)
    await wrote(user, [hamlet], 30)
    await wrote({ id: user.id + 1, username: 'jo' }, [other], 20)
    /* Another person had the name before. */
    await wrote({ id: user.id + 1, username: 'kim' }, [other], 19)
    await wrote(user, [other], 18, { event_type: 'DELETE' })
    await wrote(user, [other], 17, { status: 'failure' })
    await wrote(user, [gone], 10)
    await db.from('plays').where('id', gone.id).delete()
    const { titles, text } = await look()
    assert.deepEqual(titles, [
      ['Hamlet', `/admin/Play/update/${hamlet.id}`],
      ['&lt;b&gt;', `/admin/Play/update/${faust.id}`],
      ['Lear', `/admin/Play/update/${lear.id}`],
    ])
    assert.include(text, '>30 minutes ago</time>')
  })

  test('[B23] recent records are at most six, with a hint if there are none', async ({
    assert,
  }) => {
    const { user, look } = await begin()
    const none = await look()
    assert.include(none.text, 'Records that you create or change appear here.')
    const many = await plays(...'ABCDEFGH')
    for (const [index, play] of many.entries()) {
      await wrote(user, [play], 20 - index)
    }
    const { titles } = await look()
    assert.equal(titles.map(([title]) => title).join(''), 'HGFEDC')
  })

  test("[U4] recent records respect current scopes and hidden titles, and omit models that the viewer can't view now", async ({
    assert,
  }) => {
    const [hamlet, lear] = await plays('Hamlet', 'Lear')
    const as = async (document: PermissionsDocument) => {
      await emptyAdminTables()
      await restoreRoles()
      await emptyEventTables()
      const { user, look } = await begin(document)
      await wrote(user, [hamlet, lear], 5)
      return await look()
    }
    const all = await as({ Play: { actions: ['view', 'update'] } })
    assert.deepEqual(
      all.titles.map(([title]) => title),
      ['Lear', 'Hamlet']
    )
    const east = await as({ Play: { actions: ['view'], scopes: ['east'] } })
    assert.deepEqual(east.titles, [['Hamlet', `/admin/Play/view/${hamlet.id}`]])
    const blind = await as({ Play: { actions: ['view'], hidden: ['title'] } })
    assert.lengthOf(blind.titles, 2)
    for (const text of ['Hamlet', 'Lear', 'Then', 'Old title']) assert.notInclude(blind.text, text)
    const elsewhere = await as({ Reel: { actions: ['view'] } })
    assert.deepEqual(elsewhere.titles, [])
  })

  test('[E2, B23] without an event log there are no recent records, and unreadable ones are reported on the dashboard', async ({
    assert,
    cleanup,
  }) => {
    const { look } = await begin()
    const { recordsWrittenBy } = EventReader.prototype
    cleanup(() => void (EventReader.prototype.recordsWrittenBy = recordsWrittenBy))
    EventReader.prototype.recordsWrittenBy = async () => {
      throw new Error('no such table: admin_audit_log')
    }
    const broken = await look()
    assert.include(broken.text, 'Your recent records could not be read')
    assert.include(broken.text, 'id="dashboard-recent"')
    assert.notInclude(broken.text, 'no such table')
    cleanup(await withIntegration(undefined))
    const { text } = await look()
    assert.notInclude(text, 'Your recent records')
  })
})
