import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import { DateTime } from 'luxon'
import { LucidCrud, observeWrites, type Write } from '#crud'
import { isSecretName } from '#base/values/text'
import { loggedColumns } from '#crud/events/reversal'
import { Write as WriteOf } from '#crud/events/write'
import { Resource } from '#crud/resource/resource'
import { Article, Pair, Plain } from '#tests/fixtures/events'
import { Sample } from '#tests/fixtures/samples'
import { idOf } from '#tests/helpers/model_events'

const ANONYMOUS = { actor: { kind: 'none' as const }, origin: undefined }

async function loaded(model: typeof Article | typeof Sample): Promise<Resource> {
  const resource = new Resource({ model })
  await resource.load()
  return resource
}

test.group('The record of a write', (group) => {
  let articles: Resource
  group.setup(async () => void (articles = await loaded(Article)))

  function write(before: object | null, after: object | null): WriteOf {
    return new WriteOf(articles, new Article(), before as never, after as never, ANONYMOUS)
  }

  test('[E3] the states before and after a write contain API values, as JSON can represent them', ({
    assert,
  }) => {
    const circular: Record<string, unknown> = {}
    circular.self = circular
    const { after } = write(null, {
      id: 1,
      title: 'One',
      amount: Number.NaN,
      big: 9007199254740993n,
      data: '{"a":9007199254740993}',
      bytes: Buffer.from([0xff, 0x00]),
      isDeleted: 0,
      updatedAt: DateTime.fromISO('2026-03-02T14:05:09.123+02:00'),
    })
    assert.deepInclude(after, {
      heading: 'One',
      amount: 'NaN',
      big: '9007199254740993',
      data: { a: '9007199254740993' },
      bytes: '/wA=',
      is_deleted: false,
      updated_at: '2026-03-02 12:05:09',
      body: null,
    })
    assert.equal(write(null, { id: 1, data: circular }).after!.data, '[object Object]')
    assert.deepEqual(write(null, { id: 1, data: { a: 5n } }).after!.data, { a: '5' })
  })

  test('[E3] equal bytes in objects of different classes do not count as a change', ({
    assert,
  }) => {
    const bytes = Buffer.from([0xff])
    const same = write({ id: 1, bytes: new Uint8Array(bytes) }, { id: 1, bytes })
    assert.deepEqual(same.changes, {})
    assert.equal(same.before!.bytes, '/w==')
  })

  test('[E4] states omit hidden columns and secrets, but record that they changed', ({
    assert,
  }) => {
    const changed = write(
      { id: 1, title: 'One', hidden: 'a', accessToken: 'b' },
      { id: 1, title: 'One', hidden: 'c', accessToken: 'b' }
    )
    for (const state of [changed.before, changed.after, changed.changes]) {
      assert.notProperty(state, 'hidden')
      assert.notProperty(state, 'access_token')
    }
    assert.deepEqual(changed.changes, {})
    assert.isTrue(changed.changesUnreported)
    assert.isTrue(changed.isChange)
    assert.isFalse(write({ id: 1, title: 'a' }, { id: 1, title: 'b' }).changesUnreported)
    assert.isFalse(write({ id: 1, title: 'a' }, { id: 1, title: 'a' }).isChange)
  })

  test('[A20, E4] the log has the serialized value, and the stored value determines whether a column has changed', ({
    assert,
  }) => {
    const changed = write({ id: 1, card: '1234' }, { id: 1, card: '9934' })
    assert.deepEqual(changed.changes, { card: { old: '…34', new: '…34' } })
  })

  test('[E1] a recorded state does not change when the record is changed later', ({ assert }) => {
    const data = { a: 1 }
    const { after } = write(null, { id: 1, data })
    data.a = 2
    assert.deepEqual(after!.data, { a: 1 })
  })

  test('[E1, A21] a write is a create, update, delete, soft delete or restore', ({ assert }) => {
    const live = { id: 1, isDeleted: false }
    const marked = { id: 1, isDeleted: true }
    const kinds = (one: WriteOf) => [one.kind, one.soft, one.restored]
    assert.deepEqual(kinds(write(null, live)), ['create', false, false])
    assert.deepEqual(kinds(write(null, marked)), ['create', false, false])
    assert.deepEqual(kinds(write(live, live)), ['update', false, false])
    assert.deepEqual(kinds(write(live, marked)), ['delete', true, false])
    assert.deepEqual(kinds(write(marked, live)), ['update', false, true])
    assert.deepEqual(kinds(write(marked, null)), ['delete', false, false])
  })

  test('[E4] columns with the names of secrets are omitted', async ({ assert }) => {
    const told = loggedColumns(await loaded(Sample)).map(({ apiName }) => apiName)
    assert.notInclude(told, 'token')
    assert.notInclude(told, 'secret')
    assert.includeMembers(told, ['code', 'status', 'count', 'clock'])

    const secret = 'password newPasswords pwd secrets api_tokens token_value otp pin credentials'
    const keys = 'licenseKey signing_key encryption_key private_key_pem ssh_keys recovery_codes'
    for (const name of `${secret} ${keys}`.split(' ')) assert.isTrue(isSecretName(name), name)
    const open = 'token_count password_changed_at key foreign_key sort_key pinned monkey spin'
    for (const name of open.split(' ')) assert.isFalse(isSecretName(name), name)
  })
})

test.group('Observers of writes', (group) => {
  group.each.setup(async () => {
    for (const table of ['event_plains', 'event_pairs']) await db.from(table).delete()
  })

  function observe(cleanup: (callback: () => void) => void) {
    const actions: Write[][] = []
    const clients: boolean[] = []
    const observer = {
      async record(writes: readonly Write[], client: { isTransaction: boolean }) {
        actions.push([...writes])
        clients.push(client.isTransaction)
      },
    }
    const stop = observeWrites(observer as never)
    cleanup(stop)
    return { actions, clients, stop }
  }

  test('[E3] observers are called once per action, inside its transaction, with all of its writes', async ({
    assert,
    cleanup,
  }) => {
    const { actions, clients } = observe(cleanup)
    const ids = []
    for (const name of ['a', 'b']) ids.push(await idOf(Plain.create({ name, value: 1 })))
    await new LucidCrud(Plain).deleteMany(ids)
    assert.deepEqual(
      actions.map((writes) => writes.map(({ kind }) => kind)),
      [['create'], ['create'], ['delete', 'delete']]
    )
    assert.deepEqual(clients, [false, false, true])
  })

  test('[E3] observers receive the values that the database has set', async ({
    assert,
    cleanup,
  }) => {
    const { actions } = observe(cleanup)
    const { id } = await Plain.create({ name: 'a' })
    await new LucidCrud(Plain).create({ name: 'b' })
    assert.deepEqual(actions[0][0].after, { id, name: 'a', value: 7 })
    assert.deepEqual(actions[1][0].after, { id: id + 1, name: 'b', value: 7 })
  })

  test('[E1] an observer that has unsubscribed is not called', async ({ assert, cleanup }) => {
    const { actions, stop } = observe(cleanup)
    stop()
    await Pair.create({ left: 1, right: 'a', label: 'x' })
    assert.isEmpty(actions)
  })

  test('[E3] two actions in one transaction are reported to observers separately', async ({
    assert,
    cleanup,
  }) => {
    const { actions } = observe(cleanup)
    const crud = new LucidCrud(Plain)
    await db.transaction(async (client) => {
      await crud.create({ name: 'a' }, { client })
      await crud.create({ name: 'b' }, { client })
    })
    assert.deepEqual(
      actions.map((writes) => writes.length),
      [1, 1]
    )
  })
})
