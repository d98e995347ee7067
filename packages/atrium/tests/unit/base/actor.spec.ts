import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import { userActor, type AdminUser } from '#admin'
import { LucidCrud, observeWrites, runAs, systemActor, ValueError } from '#crud'
import { ambientActor, currentActor } from '#base/actor'
import { PrivateLedger } from '#tests/fixtures/actors'
import { cookiesOf, emptyAdminTables, fakeHashes, makeUser } from '#tests/helpers/admin'
import { insertRow } from '#tests/helpers/databases'
import { emptyEventTables } from '#tests/helpers/events'
import { get } from '#tests/helpers/http'
import { audited, listen, loggedEvents, statusOf } from '#tests/helpers/model_events'

const IMPORT = systemActor('nightly import')

test.group('Application code with an actor', (group) => {
  group.tap((one) => one.tags(['@database']))
  const crud = new LucidCrud(PrivateLedger)
  let ada: AdminUser
  let bob: AdminUser
  let id: number

  group.setup(() => fakeHashes())
  group.each.setup(async () => {
    await db.from('actor_ledgers').delete()
    await emptyAdminTables()
    ada = await makeUser('ada')
    bob = await makeUser('bob', { isSuperuser: false })
    id = await insertRow('actor_ledgers', { owner: 'ada', title: 'one' })
    await insertRow('actor_ledgers', { owner: 'eve', title: 'two' })
    await emptyEventTables()
  })

  test('[P14] a system actor requires a name', ({ assert }) => {
    assert.deepEqual(systemActor('nightly import'), { kind: 'system', name: 'nightly import' })
    for (const name of ['', ' ', 'x'.repeat(101), undefined]) {
      assert.throws(() => systemActor(name as string), ValueError)
    }
  })

  test('[P14] a system actor is allowed everything, regardless of policy and scope')
    .with(['actor', 'runAs'])
    .run(async ({ assert }, how) => {
      const options = how === 'actor' ? { actor: IMPORT } : {}
      const work = async () => {
        await crud.create({ owner: 'zoe', title: 'three' }, options)
        await crud.update(id, { title: 'changed' }, options)
        const list = await crud.getMulti({}, options)
        assert.deepEqual(
          list.data.map(({ title }) => title),
          ['changed', 'two', 'three']
        )
        assert.equal(await crud.count({}, options), 3)
        const found = await crud.find(id, options)
        assert.equal(found?.$attributes.title, 'changed')
        await crud.deleteMany([id], options)
        assert.isNull(await crud.get(id, options))
      }
      await (how === 'actor' ? work() : runAs(IMPORT, work))
      assert.equal(await statusOf(crud.getMulti().catch((error) => error)), 403)
    })

  test('[P14] for a user as the actor, policy and scope apply', async ({ assert }) => {
    const seen = await runAs(userActor(ada), () => crud.getMulti())
    assert.deepEqual(
      seen.data.map(({ title }) => title),
      ['one']
    )
    const refused = runAs(userActor(bob), () => crud.getMulti().catch((error) => error))
    assert.equal(await statusOf(refused), 403)
    const told = crud.getMulti({}, { actor: userActor(bob) }).catch((error) => error)
    assert.equal(await statusOf(runAs(IMPORT, () => told)), 403)
  })

  test('[E1, E3] writes of models have the actor in their events and in the log', async ({
    assert,
    cleanup,
  }) => {
    const { events, heard } = listen(cleanup)
    await runAs(IMPORT, () => PrivateLedger.create({ owner: 'ada', title: 'saved' }))
    await runAs(userActor(ada), () =>
      db.transaction(async (client) => {
        const ledger = await PrivateLedger.findOrFail(id, { client })
        await ledger.merge({ title: 'mine' }).save()
      })
    )
    await PrivateLedger.create({ owner: 'ada', title: 'nobody’s' })
    await heard()
    assert.deepEqual(
      events.map(({ actor }) => actor),
      [IMPORT, userActor(ada), { kind: 'none' }]
    )
    const logged = await loggedEvents()
    assert.deepEqual(
      logged.map(({ username, userId, details }) => [username, userId, details]),
      [
        ['system: nightly import', null, null],
        ['ada', ada.id, null],
        [null, null, null],
      ]
    )
    assert.lengthOf(await audited('PrivateLedger'), 3)
  })

  test("[E3] the page of the log shows the actor's name, a long one in full", async ({
    assert,
  }) => {
    const name = 'the import of what the other branch has sold'
    await crud.update(id, { title: 'changed' }, { actor: IMPORT })
    await crud.update(id, { title: 'again' }, { actor: systemActor(name) })
    const [, event] = await loggedEvents('UPDATE')
    assert.equal(event.username, 'system: the import of what the o')
    assert.deepEqual(event.details, { system_name: name })
    const page = await get('/admin/management/events', {
      headers: { cookie: await cookiesOf(ada) },
    })
    assert.include(page.text, 'system: nightly import')
    const one = await get(`/admin/management/events/${event.id}`, {
      headers: { cookie: await cookiesOf(ada) },
    })
    assert.include(one.text, `system: ${name}`)
  })

  test('[P14] the innermost runAs determines the actor, and an actor passed to an operation takes precedence', async ({
    assert,
    cleanup,
  }) => {
    const actors: string[] = []
    const stop = observeWrites({
      async record(writes) {
        for (const { actor, record } of writes) {
          const { title } = record.$attributes
          actors.push(`${title}: ${actor.name ?? actor.user?.username ?? actor.kind}`)
        }
      },
    })
    cleanup(stop)
    await runAs(IMPORT, async () => {
      await crud.update(id, { title: 'copied' }, { actor: userActor(ada) })
      await runAs(systemActor('inner'), async () => {
        await PrivateLedger.create({ owner: 'ada', title: 'inside' })
      })
      await PrivateLedger.create({ owner: 'ada', title: 'outside' })
      assert.deepEqual(currentActor(), IMPORT)
    })
    assert.deepEqual(actors, [
      'note: ada',
      'copied: ada',
      'copy: copier',
      'inside: inner',
      'outside: nightly import',
    ])
    assert.isUndefined(ambientActor())
    /* The whole action is one event, whatever its hooks write. */
    const [event] = await loggedEvents()
    assert.equal(event.username, 'ada')
  })
})
