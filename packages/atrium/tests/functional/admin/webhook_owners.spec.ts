import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import type { AdminUser } from '#admin'
import { LucidCrud } from '#crud'
import { Plain } from '#tests/fixtures/events'
import { Play } from '#tests/fixtures/stages'
import { emptyAdminTables, fakeHashes, makeUser } from '#tests/helpers/admin'
import { emptyEventTables } from '#tests/helpers/events'
import { giveRoles, makeRole, restoreRoles } from '#tests/helpers/roles'
import {
  allowPrivate,
  deliveryStates,
  emptyWebhooks,
  makeWebhook,
  moveClock,
  type Receiver,
  sendDue,
  startReceiver,
} from '#tests/helpers/webhook_receiver'

test.group('Webhooks | owners', (group) => {
  group.tap((one) => one.tags(['@dialect']))
  let receiver: Receiver
  let ada: AdminUser

  group.setup(() => fakeHashes())
  group.setup(() => allowPrivate())
  group.each.setup(async () => {
    for (const table of ['event_plains', 'event_pairs', 'play_tickets', 'plays'])
      await db.from(table).delete()
    await emptyAdminTables()
    await emptyWebhooks()
    await emptyEventTables()
    ada = await makeUser('ada')
    receiver = await startReceiver()
    return async () => {
      await receiver.stop()
      await emptyWebhooks()
      await restoreRoles()
    }
  })

  const hook = (more: Partial<Parameters<typeof makeWebhook>[0]> = {}) =>
    makeWebhook({ address: receiver.url, ownerId: ada.id, ...more })

  test('[W4, U4] a demoted owner receives only what their roles allow now', async ({ assert }) => {
    await hook({ models: ['Play', 'Plain'] })
    const values = { town: 'east', secret: 'QZX', isDeleted: false, stamped: false }
    const east = await Play.create({ ...values, title: 'East' })
    const west = await Play.create({ ...values, title: 'West', town: 'west' })
    await Plain.create({ name: 'a', value: 1 })
    await makeRole('Guide', {
      Play: { actions: ['view'], hidden: ['secret'], readonly: [], scopes: ['east'] },
    })
    ada.isSuperuser = false
    await ada.save()
    await giveRoles(ada, ['Guide'])
    await db.from('plays').where('id', west.id).update({ title: 'Wild West' })
    await sendDue()
    assert.lengthOf(receiver.messages, 1)
    const [{ body, text }] = receiver.messages
    assert.equal(body.data.record.title, 'East')
    assert.notProperty(body.data.changes, 'secret')
    assert.notInclude(text, 'QZX')
    const states = await deliveryStates()
    assert.deepEqual(states, ['delivered', 'skipped', 'skipped'])
    /* Its scope cannot be checked any more. */
    await new LucidCrud(Play).dbDelete(east.id)
    await sendDue()
    assert.lengthOf(receiver.messages, 1)
  })

  test('[W4.9, U4] a demoted owner receives no change of an earlier record with the same key', async ({
    assert,
  }) => {
    await hook({ models: ['Play'] })
    const plays = new LucidCrud(Play)
    const values = { secret: 'x', isDeleted: false, stamped: false }
    const { id } = await Play.create({ ...values, title: 'West', town: 'west' })
    await plays.update(id, { title: 'QZX' })
    await plays.dbDelete(id)
    await makeRole('Guide', {
      Play: { actions: ['view'], hidden: [], readonly: [], scopes: ['east'] },
    })
    ada.isSuperuser = false
    await ada.save()
    await giveRoles(ada, ['Guide'])
    const back = moveClock(5000)
    await Play.create({ ...values, id, title: 'East', town: 'east' })
    await sendDue()
    back()
    assert.deepEqual(
      receiver.messages.map(({ body }) => [body.type, body.data.record.title]),
      [['play.created', 'East']]
    )
    assert.notInclude(receiver.messages[0].text, 'QZX')
    assert.deepEqual(await deliveryStates(), ['skipped', 'skipped', 'skipped', 'delivered'])
  })

  test('[W4, U4] a field that roles show on some records only is in the messages about those records only', async ({
    assert,
  }) => {
    await hook({ models: ['Play'] })
    await makeRole('All', { Play: { actions: ['view'], hidden: ['note'] } })
    await makeRole('East', { Play: { actions: ['view'], scopes: ['east'] } })
    ada.isSuperuser = false
    await ada.save()
    await giveRoles(ada, ['All', 'East'])
    for (const town of ['east', 'west']) {
      await Play.create({ title: town, town, note: `QZX-${town}`, isDeleted: false })
    }
    await sendDue()
    const sent = receiver.messages.map(({ body }) => [
      body.data.record.town,
      body.data.record.note,
      body.data.changes.note,
    ])
    assert.sameDeepMembers(sent, [
      ['east', 'QZX-east', { old: null, new: 'QZX-east' }],
      ['west', null, undefined],
    ])
  })
})
