import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import type { AdminUser } from '#admin'
import { LucidCrud, ModelUpdated } from '#crud'
import { Gate, ownWork, PlainGate } from '#tests/fixtures/own_code'
import { cookiesOf, emptyAdminTables, fakeHashes, makeUser, sendForm } from '#tests/helpers/admin'
import { insertRow } from '#tests/helpers/databases'
import { emptyEventTables } from '#tests/helpers/events'
import { patch, post } from '#tests/helpers/http'
import { audited, listen, loggedEvents } from '#tests/helpers/model_events'
import { queriesOf } from '#tests/helpers/queries'

test.group('Pivot rows changed by application code', (group) => {
  group.tap((one) => one.tags(['@database']))
  let user: AdminUser
  let gate: number
  let marks: number[]

  group.setup(() => fakeHashes())
  group.each.setup(async () => {
    for (const table of ['own_gate_mark', 'own_gates', 'own_marks']) await db.from(table).delete()
    await emptyAdminTables()
    user = await makeUser('ada')
    gate = await insertRow('own_gates', { name: 'gate' })
    marks = []
    for (const name of ['a', 'b', 'c']) marks.push(await insertRow('own_marks', { name }))
    const rows = marks.slice(0, 2).map((mark) => ({ gate_id: gate, mark_id: mark }))
    await db.table('own_gate_mark').multiInsert(rows)
    await emptyEventTables()
    return () => void (ownWork.current = undefined)
  })

  /** Runs own code that changes the record's marks. */
  function leaves(place: string, keys: () => number[]) {
    const run = (_client: unknown, record?: LucidRow) =>
      (record as Gate).related('marks').sync(keys())
    ownWork.current = { place, run }
  }

  const changed = () => ({ old: [marks[0], marks[1]], new: [marks[1], marks[2]] })
  const others = () => [marks[2], marks[1]]

  test('[E3] the audit row and event of a create contain the changed pivot rows', async ({
    assert,
    cleanup,
  }) => {
    const { events, heard } = listen(cleanup)
    const { status } = await post('/api/own-gates', { name: 'new', marks: [marks[2], marks[0]] })
    assert.equal(status, 201)
    assert.lengthOf(await heard(), 1)
    const tied = { old: null, new: [marks[0], marks[2]] }
    assert.deepEqual(events[0].changes.gate_marks, tied)
    const [row] = await audited('Gate')
    assert.deepEqual((row.changes as any).gate_marks, tied)
    assert.deepEqual((row.newState as any).gate_marks, tied.new)
    assert.isNull(row.previousState)
  })

  test('[E1, E3] an update that changes only pivot rows is logged as an UPDATE', async ({
    assert,
    cleanup,
  }) => {
    const { events, heard } = listen(cleanup)
    const { status } = await patch(`/api/own-gates/${gate}`, { marks: others() })
    assert.equal(status, 200)
    await heard()
    assert.instanceOf(events[0], ModelUpdated)
    assert.deepEqual(events[0].changes, { gate_marks: changed() })
    const [event, ...more] = await loggedEvents('UPDATE')
    assert.isEmpty(more)
    assert.equal(event.resourceId, String(gate))
    const [row] = await audited('Gate')
    assert.deepEqual(row.changes, { gate_marks: changed() })
    assert.deepEqual(row.previousState, { id: gate, name: 'gate', gate_marks: changed().old })
    assert.deepEqual(row.newState, { id: gate, name: 'gate', gate_marks: changed().new })
  })

  test('[E3] changed pivot rows are logged wherever application code writes them during the write')
    .with(['prepareUpdate', 'crud afterUpdate', 'beforeSave', 'beforeUpdate', 'afterUpdate'])
    .run(async ({ assert }, place) => {
      leaves(place, others)
      await patch(`/api/own-gates/${gate}`, { name: 'changed' })
      const [row, ...more] = await audited('Gate')
      assert.isEmpty(more)
      assert.deepEqual(row.changes, {
        name: { old: 'gate', new: 'changed' },
        gate_marks: changed(),
      })
    })

  test('[E3] pivot rows changed by a form and by a bulk action of the admin site are logged too')
    .with(['form_update', 'action/work'])
    .run(async ({ assert }, door) => {
      leaves('prepareUpdate', others)
      const cookie = await cookiesOf(user)
      if (door === 'form_update') {
        await sendForm(`/admin/Gate/form_update/${gate}`, { name: 'bulk' }, { cookie })
      } else await sendForm('/admin/Gate/action/work', `ids=${gate}`, { cookie })
      const [row] = await audited('Gate')
      assert.deepEqual(row.changes, { name: { old: 'gate', new: 'bulk' }, gate_marks: changed() })
      const [event] = await loggedEvents('UPDATE')
      assert.equal(event.username, 'ada')
    })

  test('[E1] the same pivot rows in another order do not count as a change', async ({ assert }) => {
    await patch(`/api/own-gates/${gate}`, { marks: [marks[1], marks[0]] })
    await patch(`/api/own-gates/${gate}`, {})
    assert.isEmpty(await loggedEvents('UPDATE'))
  })

  test('[E1] changes of pivot rows that are reverted later in the write are in no event', async ({
    assert,
    cleanup,
  }) => {
    const { heard } = listen(cleanup)
    const crud = new LucidCrud(Gate)
    leaves('afterSave', others)
    const refuse = () => Promise.reject(new Error('no'))
    await assert.rejects(
      () => db.transaction((client) => crud.update(gate, { name: 'x' }, { client }).then(refuse)),
      'no'
    )
    assert.isEmpty(await heard())
    assert.isEmpty(await loggedEvents('UPDATE'))
    assert.lengthOf(await db.from('own_gate_mark'), 2)
  })

  test('[E3] a model without application code runs no queries on its relations', async ({
    assert,
  }) => {
    const crud = new LucidCrud(PlainGate)
    const queries = await queriesOf(() => crud.update(gate, { name: 'changed' }))
    assert.isAbove(queries.length, 0)
    assert.isFalse(queries.some((sql) => sql.includes('own_gate_mark')))
    const [row] = await audited('PlainGate')
    assert.deepEqual(row.changes, { name: { old: 'gate', new: 'changed' } })
  })
})
