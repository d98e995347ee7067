import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { type Revue, type RevueArtist, RevueStyle, TABLES, makeRevue } from '#tests/fixtures/revues'
import { cookiesOf, emptyAdminTables, fakeHashes, makeUser, sendForm } from '#tests/helpers/admin'
import { emptyEventTables } from '#tests/helpers/events'
import { call, type HttpResponse } from '#tests/helpers/http'
import { its } from '#tests/helpers/its'
import { audited } from '#tests/helpers/model_events'
import { giveRoles, makeRole, restoreRoles } from '#tests/helpers/roles'

/** The rows of all tables, as the database has them. */
async function everything(): Promise<Record<string, unknown[]>> {
  const rows: Record<string, unknown[]> = {}
  for (const table of TABLES) {
    const found = await db.from(table)
    rows[table] = found.toSorted((one, other) =>
      JSON.stringify(one) < JSON.stringify(other) ? -1 : 1
    )
  }
  return rows
}

test.group('Undo | many-to-many relations', (group) => {
  group.tap((one) => one.tags(['@database']))
  let revue: Revue
  let [ann, bob, cid]: RevueArtist[] = []
  let boss: string

  group.setup(() => fakeHashes())
  group.each.setup(async () => {
    await emptyAdminTables()
    const made = await makeRevue()
    revue = made.revue
    ;[ann, bob, cid] = made.artists
    await RevueStyle.create({ code: 'jazz', name: 'Jazz' })
    const cast = [ann, bob].map(({ id }) => ({ revue_id: revue.id, artist_id: id, note: 'old' }))
    await db.table('revue_people').multiInsert(cast)
    await db.table('revue_kinds').insert({
      revue_id: revue.id,
      style_code: 'jazz',
      created_at: '2020-01-02 03:04:05',
    })
    boss = await cookiesOf(await makeUser('jo'))
    await emptyEventTables()
    return () => restoreRoles()
  })

  const send = (body: string, cookie = boss) =>
    sendForm(`/admin/Revue/form_update/${revue.id}`, body, { cookie })
  async function lastEvent(): Promise<number> {
    const { id } = await db
      .from('admin_event_log')
      .whereNot('event_type', 'VIEW')
      .orderBy('id', 'desc')
      .firstOrFail()
    return id
  }
  async function undo(event?: number, cookie = boss): Promise<HttpResponse> {
    const id = event ?? (await lastEvent())
    return await call('POST', `/admin/management/events/${id}/undo`, {
      json: {},
      headers: { cookie },
    })
  }
  const remove = (model: string, ...ids: number[]) =>
    call('DELETE', `/admin/${model}/bulk-delete?hard=true`, {
      json: { ids },
      headers: { cookie: boss },
    })

  test('[R3, R7] an undo reverts what an update attached and detached, and a redo repeats it', async ({
    assert,
  }) => {
    const before = await everything()
    for (const title of ['Follies', 'Changed']) {
      await send(`title=${title}&people=&people=${bob.id}&people=${cid.id}&styles=`)
      const after = await everything()
      assert.notDeepEqual(after, before)
      const response = await undo()
      assert.equal(response.status, 200, response.text)
      assert.deepEqual(await everything(), before, title)
      const rows = await audited('Revue')
      const row = rows.at(-1)!
      assert.deepEqual((row.changes as any).people, {
        old: [bob.id, cid.id],
        new: [ann.id, bob.id],
      })
      assert.deepEqual((row.previousState as any).people, [bob.id, cid.id])
      assert.equal(await its(undo(), 'status'), 200)
      assert.deepEqual(await everything(), after)
      assert.equal(await its(undo(), 'status'), 200)
      assert.deepEqual(await everything(), before)
    }
  })

  test('[R3, R7] undoing a create also detaches the attached records', async ({ assert }) => {
    const before = await everything()
    const body = `title=New&people=${ann.id}&styles=jazz`
    await sendForm('/admin/Revue/form_create', body, { cookie: boss })
    const made = await lastEvent()
    const { id } = await db.from('revues').where('title', 'New').firstOrFail()
    await db.table('revue_people').insert({ revue_id: id, artist_id: cid.id })
    assert.equal(await its(undo(made), 'status'), 409, 'others refer to it by now')
    await db.from('revue_people').where({ revue_id: id, artist_id: cid.id }).delete()
    const response = await undo(made)
    assert.equal(response.status, 200, response.text)
    assert.deepEqual(await everything(), before)
    assert.equal(await its(undo(), 'status'), 200)
    assert.lengthOf(await db.from('revue_people').where({ revue_id: id, artist_id: ann.id }), 1)
  })

  test('[R3, R7] undoing a deletion restores the pivot rows that the database deleted', async ({
    assert,
  }) => {
    const before = await everything()
    for (const [model, ids] of [
      ['Revue', [revue.id]],
      ['RevueArtist', [ann.id, bob.id]],
    ] as const) {
      assert.equal(await its(remove(model, ...ids), 'status'), 200)
      const after = await everything()
      assert.isEmpty(after.revue_people)
      const response = await undo()
      assert.equal(response.status, 200, response.text)
      assert.deepEqual(await everything(), before, model)
      assert.equal(await its(undo(), 'status'), 200)
      assert.deepEqual(await everything(), after, model)
      assert.equal(await its(undo(), 'status'), 200)
      assert.deepEqual(await everything(), before, model)
    }
    const rows = await audited('Revue')
    const deletion = rows.find(({ action }) => action === 'DELETE')!
    assert.deepEqual((deletion.previousState as any).people, [ann.id, bob.id])
  })

  test('[R3, R7] the undo is refused if one of the attached records has changed since', async ({
    assert,
  }) => {
    await send(`people=&people=${bob.id}&people=${cid.id}`)
    const event = await lastEvent()
    const added = db.from('revue_people').where('artist_id', cid.id)
    await added.update({ note: 'changed' })
    const refused = await undo(event)
    assert.equal(refused.status, 409)
    assert.deepEqual(refused.body.changed, [{ model: 'Revue', id: String(revue.id) }])
    await db.from('revue_people').where('artist_id', cid.id).update({ note: 'new' })
    await db.table('revue_people').insert({ revue_id: revue.id, artist_id: ann.id })
    assert.equal(await its(undo(event), 'status'), 409)
    await db.from('revue_people').where('artist_id', ann.id).delete()
    const response = await undo(event)
    assert.equal(response.status, 200, response.text)
  })

  test('[R7, U3, U4] an undo attaches no records that the user can no longer see or change', async ({
    assert,
  }) => {
    const permissions = {
      Revue: { actions: ['view' as const, 'update' as const] },
      RevueArtist: { actions: ['view' as const] },
    }
    await makeRole('Some', permissions)
    await makeRole('Far', {
      ...permissions,
      RevueArtist: { actions: ['view'], scopes: ['ownTown'] },
    })
    await makeRole('Fixed', {
      ...permissions,
      Revue: { ...permissions.Revue, readonly: ['people'] },
    })
    const kim = await makeUser('kim', { isSuperuser: false, roles: ['Some'] })
    const cookie = await cookiesOf(kim)
    await send(`people=&people=${bob.id}`, cookie)
    const event = await lastEvent()
    for (const name of ['Far', 'Fixed']) {
      await giveRoles(kim, [name])
      assert.equal(await its(undo(event, cookie), 'status'), 403, name)
    }
    assert.lengthOf(await db.from('revue_people'), 1)
  })
})
