import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { Machine } from '#tests/fixtures/forms'
import { cookiesOf, emptyAdminTables, fakeHashes, makeUser, sendForm } from '#tests/helpers/admin'
import { addTrigger } from '#tests/helpers/databases'
import { formOf } from '#tests/helpers/forms'

test.group('Admin | writes that the database rejects', (group) => {
  group.setup(() => fakeHashes())
  group.each.setup(async () => {
    await emptyAdminTables()
    await Machine.query().delete()
    return () => db.rawQuery('drop trigger if exists on_write')
  })

  test('[S47] a form shows the message of a trigger and preserves the input', async ({
    assert,
  }) => {
    await addTrigger('form_machines', 'before insert', "select raise(abort, 'No <b>room</b> left')")
    const cookie = await cookiesOf(await makeUser('jo'))
    const { status, text } = await sendForm(
      '/admin/Machine/form_create',
      { name: 'Loom' },
      { cookie }
    )
    assert.equal(status, 422)
    assert.include(text, 'No &lt;b&gt;room&lt;/b&gt; left')
    assert.equal(formOf(text).values.name, 'Loom')
    assert.isEmpty(await db.from('form_machines'))
  })
})
