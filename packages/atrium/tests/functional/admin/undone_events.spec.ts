import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { undoneEvents } from '#admin/undo/undoable_event'
import { adminSite } from '#tests/helpers/admin'
import { emptyEventTables } from '#tests/helpers/logged_events'

const FILM = { resourceType: 'Film', resourceId: '7' }

async function log(id: number, undoes?: number, resourceId: string | null = '7') {
  await db.table('admin_event_log').insert({
    id,
    timestamp: '2026-01-01 00:00:00',
    event_type: 'UPDATE',
    status: 'success',
    resource_type: 'Film',
    resource_id: resourceId,
    details: JSON.stringify(undoes === undefined ? { count: 1 } : { count: 1, undoes }),
  })
}

test.group('Admin | events that were undone', (group) => {
  group.tap((one) => one.tags(['@database']))
  group.each.setup(async () => {
    await emptyEventTables()
    return emptyEventTables
  })

  test('[R7] an undone event names the event that undid it, as long as that one is not undone itself', async ({
    assert,
  }) => {
    const site = await adminSite()
    const undone = async () => Object.fromEntries(await undoneEvents(site, FILM, 0))
    await log(11)
    await log(12, 3, '8')
    assert.deepEqual(await undone(), {})
    await log(13, 11)
    assert.deepEqual(await undone(), { 11: 13 })
    await log(14, 13)
    assert.deepEqual(await undone(), { 13: 14 })
    await log(15, 14)
    assert.deepEqual(await undone(), { 11: 13, 14: 15 })
    await log(16, 10, null)
    const many = await undoneEvents(site, { ...FILM, resourceId: null }, 0)
    assert.deepEqual([...many], [[10, 16]])
  })
})
