import { test } from '@japa/runner'
import { HttpContextFactory } from '@adonisjs/core/factories/http'
import type { HttpContext } from '@adonisjs/core/http'
import db from '@adonisjs/lucid/services/db'
import { guardOf } from '#admin/identity/admin_guard'
import { AdminUser, type PermissionsDocument } from '#admin'
import { compare } from '#admin/event_log/comparison'
import { LoggedRelations, ReadableRecords } from '#admin/event_log/readable_records'
import { LoggedRecords } from '#admin/event_log/logged_records'
import { subjectOf } from '#admin/event_log/shown_event'
import { Play } from '#tests/fixtures/stages'
import { adminSite, emptyAdminTables, fakeHashes, makeUser } from '#tests/helpers/admin'
import { makeRole, restoreRoles } from '#tests/helpers/roles'

/** The event pages are for superusers; what they are made of knows everybody's roles all the same. */
test.group('Admin | event page contents by roles', (group) => {
  group.setup(() => fakeHashes())
  group.each.setup(async () => {
    await emptyAdminTables()
    await restoreRoles()
    for (const table of ['play_tickets', 'plays', 'stages']) await db.from(table).delete()
    return () => restoreRoles()
  })

  async function requestOf(...documents: PermissionsDocument[]): Promise<HttpContext> {
    const names = documents.map((_, index) => `Role ${index}`)
    for (const [index, document] of documents.entries()) await makeRole(names[index], document)
    const isSuperuser = documents.length === 0
    const { id } = await makeUser('kim', { isSuperuser, roles: names })
    const user = await AdminUser.findOrFail(id)
    const { permissionsVersion } = user
    const signedIn = { owner: { id, isSuperuser, permissionsVersion, user }, session: {} }
    const ctx = new HttpContextFactory().create()
    guardOf(ctx).signedIn = signedIn as any
    return ctx
  }

  const logged = ({ id }: Play, resourceType = 'Play') =>
    ({
      resourceType,
      resourceId: String(id),
      previousState: { title: 'Old', town: 'east', secret: 'Hush', tickets: [1] },
      newState: { title: 'New', town: 'east', secret: 'Loud', tickets: [2] },
      changes: {},
    }) as any

  async function seen(ctx: HttpContext, row: any) {
    const site = await adminSite()
    const places = await LoggedRecords.find(site, ctx, [row])
    const readable = await ReadableRecords.find(site, ctx, [row], places.views)
    if (!readable.has(row)) return null
    const relations = await LoggedRelations.find(site, ctx, [row], places.views)
    const view = places.views.get(row.resourceType)
    const { changed, unchanged } = compare(site, row, view, { relations })
    const subject = subjectOf(site, row, places, { state: row.newState })
    return {
      names: [...changed, ...unchanged].map(({ name }) => name),
      title: subject?.record?.text,
    }
  }

  const play = (town = 'east') => Play.create({ title: 'Hamlet', town })

  test('[U4, E5] the event page shows values that roles hide on all or some records in no comparison and no title', async ({
    assert,
  }) => {
    const row = logged(await play())
    const all = await seen(await requestOf(), row)
    assert.deepEqual(all, { names: ['title', 'secret', 'tickets', 'town'], title: 'Hamlet' })
    await emptyAdminTables()
    const view = { actions: ['view'] }
    const clerk = await requestOf({ Play: { ...view, hidden: ['secret', 'title', 'tickets'] } })
    assert.deepEqual((await seen(clerk, row))!.names, ['town'])
    assert.notInclude(['Hamlet', 'New', 'Old'], (await seen(clerk, row))!.title!)
    await emptyAdminTables()
    await restoreRoles()
    const mixed = await requestOf(
      { Play: { ...view, scopes: ['east'], hidden: ['secret'] } },
      { Play: { ...view, scopes: ['west'] } }
    )
    assert.deepEqual((await seen(mixed, row))!.names, ['title', 'tickets', 'town'])
  })

  test('[U4, E5] the event page hides records out of scope, deleted ones from users with scopes, and models without view', async ({
    assert,
  }) => {
    const east = await play()
    const west = await play('west')
    const gone = await play()
    await db.from('plays').where('id', gone.id).delete()
    const ctx = await requestOf({ Play: { actions: ['view'], scopes: ['east'] } })
    assert.isNotNull(await seen(ctx, logged(east)))
    assert.isNull(await seen(ctx, logged(west)))
    assert.isNull(await seen(ctx, logged(gone)))
    assert.isNull(await seen(ctx, logged(east, 'Reel')))
    assert.isNull(await seen(ctx, logged(east, 'AdminUser')))
    assert.isNull(await seen(ctx, logged(east, 'ModelOfOldTimes')))
    await emptyAdminTables()
    const root = await requestOf()
    assert.isNotNull(await seen(root, logged(gone)))
    assert.isNotNull(await seen(root, logged(east, 'ModelOfOldTimes')))
  })
})
