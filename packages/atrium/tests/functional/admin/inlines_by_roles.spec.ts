import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import type { PermissionsDocument } from '#admin'
import { Camel, Caravan, TABLES } from '#tests/fixtures/inlines'
import { cookiesOf, emptyAdminTables, fakeHashes, makeUser, sendForm } from '#tests/helpers/admin'
import { formOf } from '#tests/helpers/forms'
import { get } from '#tests/helpers/http'
import { its } from '#tests/helpers/its'
import { giveRoles, makeRole, restoreRoles } from '#tests/helpers/roles'

type Camels = PermissionsDocument[string]

test.group('Admin | rows in a form, by roles', (group) => {
  group.tap((one) => one.tags(['@database']))
  let caravan: Caravan
  let ids: string[]

  group.setup(() => fakeHashes())
  group.each.setup(async () => {
    await emptyAdminTables()
    await restoreRoles()
    for (const table of TABLES) await db.from(table).delete()
    caravan = await Caravan.create({ name: 'Silk' })
    ids = []
    for (const [index, name] of ['Asra', 'Basim'].entries()) {
      const values = { caravanId: caravan.id, name, weight: 90 + index * 20 }
      const { id } = await Camel.create({ ...values, note: `Of ${name}`, position: index + 1 })
      ids.push(String(id))
    }
    return () => restoreRoles()
  })

  /** A user who can do everything with caravans, and this with camels */
  async function clerk(camels: Camels | undefined) {
    const user = await makeUser('kim', { isSuperuser: false, roles: [] })
    const whole = { actions: ['*'] }
    await makeRole('Clerk', { Caravan: whole, ...(camels && { Camel: camels }) })
    await giveRoles(user, ['Clerk'])
    const cookie = await cookiesOf(user)
    const path = `/admin/Caravan/update/${caravan.id}`
    return {
      open: async () => {
        const { text } = await get(path, { headers: { cookie } })
        return text.replace(/<template>.*?<\/template>/gs, '')
      },
      update: async (fields: Record<string, string>) => {
        const sent = { name: 'Other', ...fields }
        return await sendForm(`/admin/Caravan/form_update/${caravan.id}`, sent, { cookie })
      },
    }
  }
  const namesIn = (text: string) =>
    Object.keys(formOf(text).values).filter((name) => name.startsWith('camels.'))
  const stored = async () => {
    const rows = await Camel.query().orderBy('id')
    return rows.map(({ name, weight, note }) => [name, weight, note])
  }
  const UNCHANGED = [
    ['Asra', 90, 'Of Asra'],
    ['Basim', 110, 'Of Basim'],
  ]

  test('[R2, U4] rows of a model that the user cannot view are not shown or written', async ({
    assert,
  }) => {
    const { open, update } = await clerk(undefined)
    const text = await open()
    assert.notInclude(text, 'camels')
    assert.notInclude(text, 'Asra')
    const fields = { 'camels.0.id': ids[0], 'camels.0.weight': '5', 'camels.1.name': 'Dalal' }
    assert.equal(await its(update(fields), 'status'), 303)
    assert.deepEqual(await stored(), UNCHANGED)
  })

  test('[R2, U4] without the create permission the form shows no blank rows, and refuses new rows', async ({
    assert,
  }) => {
    const { open, update } = await clerk({ actions: ['view', 'update', 'delete'] })
    const text = await open()
    assert.include(namesIn(text), 'camels.1.name')
    assert.notInclude(namesIn(text), 'camels.2.name')
    assert.notInclude(text, 'camels.__more')
    const { status } = await update({ 'camels.2.name': 'Dalal', 'camels.2.weight': '5' })
    assert.equal(status, 403)
    assert.deepEqual(await stored(), UNCHANGED)
    await caravan.refresh()
    assert.equal(caravan.name, 'Silk')
  })

  test('[R2, U4] without the delete permission the form shows no remove boxes, and refuses to remove rows', async ({
    assert,
  }) => {
    const { open, update } = await clerk({ actions: ['view', 'update', 'create'] })
    assert.notInclude(await open(), 'camels.0.__remove')
    const { status } = await update({ 'camels.0.id': ids[0], 'camels.0.__remove': '1' })
    assert.equal(status, 403)
    assert.lengthOf(await stored(), 2)
  })

  test('[R2, U4] without the update permission rows are shown as text, and changes of rows are refused', async ({
    assert,
  }) => {
    const { open, update } = await clerk({ actions: ['view', 'delete', 'create'] })
    const text = await open()
    assert.notInclude(namesIn(text), 'camels.0.name')
    assert.notInclude(namesIn(text), 'camels.0.position')
    assert.match(text, /<span class="inline-text" dir="auto">Asra<\/span>/)
    const { status } = await update({ 'camels.0.id': ids[0], 'camels.0.weight': '5' })
    assert.equal(status, 403)
    assert.deepEqual(await stored(), UNCHANGED)
    const added = await update({ 'camels.9.name': 'Dalal', 'camels.9.weight': '5' })
    assert.equal(added.status, 303)
    const { position } = await Camel.findByOrFail('name', 'Dalal')
    assert.equal(position, 3)
  })

  test('[R2, U3] hidden fields are in no row, and read-only ones are shown as text', async ({
    assert,
  }) => {
    const { open, update } = await clerk({ actions: ['*'], hidden: ['note'], readonly: ['weight'] })
    const text = await open()
    assert.notInclude(text, 'Of Asra')
    assert.notInclude(text, '.note')
    assert.notInclude(namesIn(text), 'camels.0.weight')
    assert.match(text, /class="inline-text" dir="auto">90</)
    const { status } = await update({ 'camels.0.id': ids[0], 'camels.0.weight': '5' })
    assert.equal(status, 403)
    await update({ 'camels.0.id': ids[0], 'camels.0.note': 'x', 'camels.0.name': 'Asra II' })
    assert.deepEqual(await its(stored(), 0), ['Asra II', 90, 'Of Asra'])
  })

  test('[R2, U3] rows out of scope are not shown, changed or created', async ({ assert }) => {
    const { open, update } = await clerk({ actions: ['*'], scopes: ['light'] })
    const text = await open()
    assert.include(text, 'Asra')
    assert.notInclude(text, 'Basim')
    for (const field of ['note', '__remove']) {
      const fields = { 'camels.0.id': ids[1], [`camels.0.${field}`]: '1' }
      const { status, text: page } = await update(fields)
      assert.equal(status, 409)
      assert.notInclude(page, 'Basim')
    }
    const heavy = await update({ 'camels.0.name': 'Dalal', 'camels.0.weight': '150' })
    assert.equal(heavy.status, 403)
    const heavier = await update({ 'camels.0.id': ids[0], 'camels.0.weight': '150' })
    assert.equal(heavier.status, 403)
    assert.deepEqual(await stored(), UNCHANGED)
    await caravan.refresh()
    assert.equal(caravan.name, 'Silk')
  })
})
