import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import AdminEventLog from '#admin/models/admin_event_log'
import { onMysql, onSqlite } from '#tests/helpers/databases'
import { emptyEventTables } from '#tests/helpers/logged_events'

const INDEX = 'admin_event_log_resource_type_resource_id_id_index'

test.group('Admin | index of the record history', (group) => {
  group.tap((one) => one.tags(['@dialect']))
  group.setup(async () => {
    await emptyEventTables()
    return emptyEventTables
  })

  test('[R8] the events of one record are read with an index, newest first', async ({ assert }) => {
    const events = Array.from({ length: 3000 }, (_, index) => ({
      timestamp: '2026-01-01 00:00:00',
      event_type: 'UPDATE',
      status: 'success',
      resource_type: 'Film',
      resource_id: String(index % 500),
    }))
    for (let start = 0; start < events.length; start += 100) {
      await db.table('admin_event_log').multiInsert(events.slice(start, start + 100))
    }
    await db.rawQuery(onMysql ? 'analyze table admin_event_log' : 'analyze admin_event_log')
    const query = AdminEventLog.query()
      .where({ resourceType: 'Film', resourceId: '7', eventType: 'UPDATE', status: 'success' })
      .orderBy('id', 'desc')
      .limit(20)
    const { sql, bindings } = query.toSQL()
    const plan = await db.rawQuery(`${onSqlite ? 'explain query plan' : 'explain'} ${sql}`, [
      ...bindings,
    ])
    assert.include(JSON.stringify(plan.rows ?? plan), INDEX)
  })
})
