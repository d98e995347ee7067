import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import { BaseModel, column } from '@adonisjs/lucid/orm'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import {
  LucidCrud,
  Problem,
  RuntimeError,
  systemActor,
  type Actor,
  type Operation,
  type Scope,
} from '#crud'
import { dialectOf } from '#base/database/dialects'
import type { CallOptions } from '#crud/operations/call_options'
import { Resource } from '#crud/resource/resource'
import { Counter, Note } from '#tests/fixtures/crud'
import { strange } from '#tests/helpers/actors'
import { ANOTHER, NO, YES, insertRow, onSqlite } from '#tests/helpers/databases'

class Undone extends Error {}

const ANNA: Actor = strange({ kind: 'token', user: 'anna' })
const BERT: Actor = strange({ kind: 'token', user: 'bert' })
const BANNED: Actor = strange({ kind: 'token', user: 'banned' })

/** Status of the problem that the call throws. */
async function statusOf(promise: Promise<unknown>): Promise<number> {
  const outcome = await promise.catch((error) => error)
  if (!(outcome instanceof Problem)) throw outcome
  return outcome.status
}

async function insertCounter(name: string, value = 0): Promise<number> {
  const id = await insertRow('crud_counters', { name, value })
  return id
}

async function insertNote(note: Record<string, unknown>): Promise<number> {
  const id = await insertRow('crud_notes', { title: 'a note', ...note })
  return id
}

async function rowOf(table: string, id: number) {
  return await db.from(table).where('id', id).first()
}

test.group('LucidCrud', (group) => {
  group.tap((one) => one.tags(['@dialect']))
  const counters = new LucidCrud(Counter)
  group.each.setup(async () => void (await db.from('crud_counters').delete()))

  test('[P8] get returns what create has stored', async ({ assert }) => {
    const item = await counters.create({ name: 'one', value: 1 })
    assert.deepEqual(item, { id: item.id, name: 'one', value: 1 })
    assert.deepEqual(await counters.get(item.id), item)
    assert.deepInclude(await rowOf('crud_counters', item.id as number), { name: 'one', value: 1 })
  })

  test('[P8] get returns null for a missing item', async ({ assert }) => {
    assert.isNull(await counters.get(0))
  })

  test('[P8] getMulti, count and exists accept filters', async ({ assert }) => {
    for (const [index, name] of ['one', 'two', 'three'].entries()) await insertCounter(name, index)
    const list = await counters.getMulti({ filters: { value__gte: 1 }, sort: '-value', limit: 1 })
    assert.equal(list.total_count, 2)
    assert.deepEqual(
      list.data.map((item) => item.name),
      ['three']
    )
    assert.equal(await counters.count({ value__gte: 1 }), 2)
    assert.equal(await counters.count(), 3)
    assert.isTrue(await counters.exists({ name: 'two' }))
    assert.isFalse(await counters.exists({ name: 'four' }))
  })

  test('[P8] update returns null, or the updated item on request', async ({ assert }) => {
    const id = await insertCounter('one')
    assert.isNull(await counters.update(id, { value: 1 }))
    assert.deepEqual(await counters.update(id, { value: 2 }, { returning: true }), {
      id,
      name: 'one',
      value: 2,
    })
  })

  test('[P8] delete and dbDelete remove one item only', async ({ assert }) => {
    const ids = [await insertCounter('one'), await insertCounter('two'), await insertCounter('x')]
    await counters.delete(ids[0])
    await counters.dbDelete(ids[1])
    const rows = await db.from('crud_counters')
    assert.deepEqual(
      rows.map((row) => row.id),
      [ids[2]]
    )
  })

  test('[P8] an update or deletion of a missing item is a 404', async ({ assert }) => {
    assert.equal(await statusOf(counters.update(0, { value: 1 })), 404)
    assert.equal(await statusOf(counters.delete(0)), 404)
    assert.equal(await statusOf(counters.dbDelete(0)), 404)
  })

  test('[A7] an update never changes a key, whatever its name', async ({ assert }) => {
    class Renamed extends BaseModel {
      static table = 'crud_counters'
      @column({ isPrimary: true, columnName: 'id' })
      declare number: number

      @column()
      declare value: number
    }
    class OwnCode extends LucidCrud<typeof Renamed> {
      prepareUpdate(values: Record<string, unknown>) {
        return { number: 1_000_000, ...values }
      }
    }
    const id = await insertCounter('one')
    for (const crud of [new LucidCrud(Renamed), new OwnCode(Renamed)]) {
      await crud.update(id, { number: id + 1, value: 7 })
      await crud.update(id, { id: id + 1, value: 8 })
      const rows = await db.from('crud_counters')
      assert.deepEqual(rows, [{ id, name: 'one', value: 8 }])
    }
  })

  test("[P8] without a client the model's connection is used", async ({ assert }) => {
    class ReadOnly extends Counter {
      static table = 'crud_counters'
      static connection = ANOTHER
    }
    const id = await insertCounter('one')
    const crud = new LucidCrud(ReadOnly)
    assert.deepInclude(await crud.get(id), { name: 'one' })
    await assert.rejects(() => crud.update(id, { value: 1 }), /readonly/)
    await crud.update(id, { value: 1 }, { client: db.connection() })
    assert.deepInclude(await crud.get(id), { value: 1 })
  }).skip(!onSqlite, 'only there is a second connection to the same tables')
})

test.group('LucidCrud and table introspection', (group) => {
  group.tap((one) => one.tags(['@dialect']))
  const dialect = dialectOf(db.connection())
  let reads: string[] = []

  group.each.setup(() => {
    const { readTable } = dialect
    reads = []
    dialect.readTable = (client, table) => {
      reads.push(table)
      return readTable.call(dialect, client, table)
    }
    return () => void (dialect.readTable = readTable)
  })

  test('[P15] the first call of any method reads the table, once', async ({ assert }) => {
    const crud = new LucidCrud(Counter)
    assert.isFalse(crud.resource.isLoaded)
    assert.throws(
      () => crud.resource.createBody,
      'Nothing is known yet of the table of Counter: await resources.load() first'
    )
    assert.throws(() => crud.resource.updateBody, RuntimeError as any)
    assert.isEmpty(reads)
    await crud.count()
    await crud.count()
    await crud.get(1)
    assert.deepEqual(reads, ['crud_counters'])
    assert.isTrue(crud.resource.isLoaded)
  })

  test('[P15] concurrent calls share one introspection', async ({ assert }) => {
    const crud = new LucidCrud(Counter)
    await Promise.all([crud.count(), crud.get(1), crud.getMulti(), crud.resource.load()])
    assert.deepEqual(reads, ['crud_counters'])
  })
})

test.group("LucidCrud in a caller's transaction", (group) => {
  group.tap((one) => one.tags(['@dialect']))
  const counters = new LucidCrud(Counter)
  group.each.setup(async () => void (await db.from('crud_counters').delete()))

  test('[P8] reads in the transaction see its writes', async ({ assert }) => {
    await db.transaction(async (client) => {
      const { id } = await counters.create({ name: 'one' }, { client })
      assert.deepInclude(await counters.get(id, { client }), { name: 'one' })
      const list = await counters.getMulti({}, { client })
      assert.equal(list.total_count, 1)
      assert.lengthOf(list.data, 1)
      assert.equal(await counters.count({}, { client }), 1)
      assert.isTrue(await counters.exists({ name: 'one' }, { client }))
      assert.isNull(await counters.get(id), 'nobody else sees it')
    })
    assert.equal(await counters.count(), 1)
  })

  test('[P8] a rollback reverts create, update, delete and dbDelete', async ({ assert }) => {
    const ids = [await insertCounter('one'), await insertCounter('two'), await insertCounter('x')]
    const before = await db.from('crud_counters')
    await assert.rejects(() =>
      db.transaction(async (client) => {
        await counters.create({ name: 'four' }, { client })
        await counters.update(ids[0], { value: 1 }, { client })
        await counters.delete(ids[1], { client })
        await counters.dbDelete(ids[2], { client })
        const rows = await client.from('crud_counters')
        assert.deepEqual(
          rows.map(({ name, value }) => [name, value]),
          [
            ['one', 1],
            ['four', 0],
          ]
        )
        throw new Undone()
      })
    )
    assert.deepEqual(await db.from('crud_counters'), before)
  })

  test("[P8] a failed write does not prevent further writes in the caller's transaction", async ({
    assert,
  }) => {
    await insertCounter('one')
    await db.transaction(async (client) => {
      await counters.create({ name: 'two' }, { client })
      assert.equal(await statusOf(counters.create({ name: 'one' }, { client })), 409)
      assert.equal(await statusOf(counters.update(0, { value: 1 }, { client })), 404)
      await counters.create({ name: 'three' }, { client })
    })
    const rows = await db.from('crud_counters').orderBy('id')
    assert.deepEqual(
      rows.map((row) => row.name),
      ['one', 'two', 'three']
    )
  })

  const calls: Record<string, (crud: LucidCrud<typeof Counter>, id: number, options: any) => any> =
    {
      create: (crud, _, options) => crud.create({ name: 'new' }, options),
      get: (crud, id, options) => crud.get(id, options),
      getMulti: (crud, _, options) => crud.getMulti({}, options),
      count: (crud, _, options) => crud.count({}, options),
      exists: (crud, _, options) => crud.exists({ name: 'one' }, options),
      update: (crud, id, options) => crud.update(id, { value: 1 }, options),
      delete: (crud, id, options) => crud.delete(id, options),
      dbDelete: (crud, id, options) => crud.dbDelete(id, options),
    }
  for (const [name, run] of Object.entries(calls)) {
    test(`[P8, P15] calling ${name} in a transaction reads the table without waiting for that transaction`, async ({
      assert,
    }) => {
      const id = await insertCounter('one')
      const crud = new LucidCrud(Counter)
      await db.transaction(async (client) => {
        await run(crud, id, { client })
        assert.isTrue(crud.resource.isLoaded)
      })
    }).timeout(3000)
  }

  test('[P8, P15] a call in a transaction does not wait for a concurrent table read that waits for the transaction', async ({
    assert,
  }) => {
    const id = await insertCounter('one')
    const crud = new LucidCrud(Counter)
    let outside: Promise<unknown> | undefined
    await db.transaction(async (client) => {
      /* With several writers, this one still locks the row first. */
      await client.from('crud_counters').where('id', id).forUpdate()
      outside = crud.update(id, { value: 5 })
      await crud.update(id, { value: 1 }, { client })
      assert.deepInclude(await crud.get(id, { client }), { value: 1 })
    })
    await outside
    assert.deepInclude(await crud.get(id), { value: 5 })
  }).timeout(3000)

  test('[E1] a callback of afterCommit runs after the commit, and immediately without a transaction', async ({
    assert,
  }) => {
    const heard: string[] = []
    await db.transaction(async (client) => {
      await counters.create({ name: 'one' }, { client })
      counters.afterCommit(client, () => heard.push('committed'))
      assert.isEmpty(heard)
    })
    assert.deepEqual(heard, ['committed'])
    counters.afterCommit(db.connection(), () => heard.push('at once'))
    assert.deepEqual(heard, ['committed', 'at once'])
  })

  test('[E1] a callback of afterCommit runs after the surrounding transaction, not after a savepoint', async ({
    assert,
  }) => {
    const heard: string[] = []
    class Hooked extends Counter {
      static table = 'crud_counters'
    }
    Hooked.boot()
    Hooked.after('create', (record) => {
      counters.afterCommit(record.$trx!, () => heard.push(record.name))
    })
    const crud = new LucidCrud(Hooked)
    await assert.rejects(() =>
      db.transaction(async (client) => {
        await crud.create({ name: 'undone' }, { client })
        throw new Undone()
      })
    )
    assert.isEmpty(heard)
    await db.transaction(async (client) => {
      await crud.create({ name: 'one' }, { client })
      assert.isEmpty(heard)
    })
    await crud.create({ name: 'two' })
    assert.deepEqual(heard, ['one', 'two'])
  })

  test('[P8] a write that a hook refuses is not stored', async ({ assert }) => {
    class Refusing extends Counter {
      static table = 'crud_counters'
    }
    Refusing.boot()
    Refusing.after('save', () => {
      throw new Undone()
    })
    const id = await insertCounter('one')
    const crud = new LucidCrud(Refusing)
    await assert.rejects(() => crud.create({ name: 'two' }))
    await assert.rejects(() => crud.update(id, { value: 9 }))
    assert.deepEqual(await db.from('crud_counters'), [{ id, name: 'one', value: 0 }])
  })
})

test.group('LucidCrud and a policy', (group) => {
  const notes = new LucidCrud(Note)
  group.each.setup(async () => {
    Note.asked = []
    await db.from('crud_notes').delete()
  })

  test('[P14] every method calls the policy with actor, action, resource and record', async ({
    assert,
  }) => {
    const actor = ANNA
    const id = await insertNote({ owner: 'anna' })
    const note = { owner: 'anna', title: 'new' }
    /* For every existing record */
    const READ: Array<[Operation, string]> = [
      ['read', 'a note'],
      ['read', 'new'],
    ]
    const questions: Array<[() => Promise<unknown>, Array<[Operation, string?]>]> = [
      [
        () => notes.create(note, { actor }),
        [
          ['create', 'new'],
          ['read', 'new'],
        ],
      ],
      [() => notes.get(id, { actor }), [['read', 'a note']]],
      [() => notes.getMulti({ limit: 1 }, { actor }), [['read_multi'], ...READ]],
      [() => notes.count({}, { actor }), [['read_multi'], ...READ]],
      [() => notes.exists({}, { actor }), [['read_multi'], ...READ]],
      /* Once for the current record, once for the updated one. */
      [
        () => notes.update(id, { title: 'b note' }, { actor }),
        [
          ['update', 'a note'],
          ['update', 'b note'],
        ],
      ],
      [() => notes.delete(id, { actor }), [['delete', 'b note']]],
      [() => notes.dbDelete(id, { actor }), [['db_delete', 'b note']]],
    ]
    for (const [call, requested] of questions) {
      Note.asked = []
      await call()
      assert.deepEqual(
        Note.asked,
        requested.map(([action, title]) => ({ actor, action, resource: 'Note', title }))
      )
    }
  })

  test('[P14] without an actor the policy is called with null', async ({ assert }) => {
    await notes.getMulti()
    assert.deepEqual(
      Note.asked.map((question) => question.actor),
      [{ kind: 'none' }]
    )
  })

  test('[P14] a refused operation is a 403 and changes nothing', async ({ assert }) => {
    const actor = BANNED
    const id = await insertNote({ owner: 'banned' })
    const before = await db.from('crud_notes')
    const refused = [
      () => notes.create({ owner: 'banned', title: 'new' }, { actor }),
      () => notes.get(id, { actor }),
      () => notes.getMulti({}, { actor }),
      () => notes.count({}, { actor }),
      () => notes.exists({}, { actor }),
      () => notes.update(id, { title: 'changed' }, { actor }),
      () => notes.update(id, {}, { actor }),
      () => notes.delete(id, { actor }),
      () => notes.dbDelete(id, { actor }),
    ]
    for (const call of refused) assert.equal(await statusOf(call()), 403)
    assert.deepEqual(await db.from('crud_notes'), before)
  })

  test('[P14] a policy can decide by the record', async ({ assert }) => {
    const actor = ANNA
    for (const action of ['read', 'update', 'delete', 'db_delete'] as const) {
      const id = await insertNote({ owner: 'anna', title: `no ${action}` })
      const calls = {
        read: () => notes.get(id, { actor }),
        update: () => notes.update(id, { title: 'changed' }, { actor }),
        delete: () => notes.delete(id, { actor }),
        db_delete: () => notes.dbDelete(id, { actor }),
      }
      assert.equal(await statusOf(calls[action]()), 403, action)
      assert.deepInclude(await rowOf('crud_notes', id), { title: `no ${action}`, is_deleted: NO })
    }
    const values = { owner: 'anna', title: 'no create' }
    assert.equal(await statusOf(notes.create(values, { actor })), 403)
    assert.isFalse(await notes.exists({ title: 'no create' }, { actor }))
  })

  test('[P14] a policy can allow the current row and refuse the updated one', async ({
    assert,
  }) => {
    const id = await insertNote({ owner: 'anna' })
    const call = notes.update(id, { title: 'no update' }, { actor: ANNA })
    assert.equal(await statusOf(call), 403)
    assert.deepInclude(await rowOf('crud_notes', id), { title: 'a note' })
  })

  test('[P14] the policy is not called for a missing record', async ({ assert }) => {
    assert.isNull(await notes.get(0, { actor: BANNED }))
    assert.equal(await statusOf(notes.update(0, { title: 'x' }, { actor: BANNED })), 404)
    assert.isEmpty(Note.asked)
  })

  test('[P14.9] policy and scope do not apply to a system actor', async ({ assert }) => {
    const options = { actor: systemActor('a job') }
    const id = await insertNote({ owner: 'bert', title: 'no update' })
    assert.deepInclude(await notes.get(id, options), { owner: 'bert' })
    assert.equal(await notes.count({}, options), 1)
    await notes.update(id, { title: 'no delete' }, options)
    await notes.delete(id, options)
    await notes.dbDelete(id, options)
    assert.isEmpty(Note.asked)
  })

  test('[P14] without policy and scope everything is allowed', async ({ assert }) => {
    const counters = new LucidCrud(Counter)
    assert.isUndefined(counters.resource.policy)
    assert.isUndefined(counters.resource.scope)
    await db.from('crud_counters').delete()
    const { id } = await counters.create({ name: 'one' })
    await counters.update(id, { value: 1 })
    await counters.delete(id)
  })
})

test.group('LucidCrud and a scope', (group) => {
  group.tap((one) => one.tags(['@dialect']))
  const notes = new LucidCrud(Note)
  group.each.setup(async () => {
    Note.asked = []
    await db.from('crud_notes').delete()
  })

  test('[P14] records that the scope hides are not found, not listed and not counted', async ({
    assert,
  }) => {
    const hidden = await insertNote({ owner: 'bert' })
    const own = await insertNote({ owner: 'anna' })
    const options = { actor: ANNA }
    assert.isNull(await notes.get(hidden, options))
    assert.deepInclude(await notes.get(own, options), { owner: 'anna' })
    const list = await notes.getMulti({}, options)
    assert.equal(list.total_count, 1)
    assert.deepEqual(
      list.data.map((item) => item.id),
      [own]
    )
    assert.equal(await notes.count({}, options), 1)
    assert.isFalse(await notes.exists({ owner: 'bert' }, options))
    assert.isTrue(await notes.exists({ owner: 'bert' }, { actor: BERT }))
  })

  test("[P14] records that the scope hides can't be updated or deleted", async ({ assert }) => {
    const id = await insertNote({ owner: 'bert' })
    const options = { actor: ANNA }
    assert.equal(await statusOf(notes.update(id, { title: 'x' }, options)), 404)
    assert.equal(await statusOf(notes.delete(id, options)), 404)
    assert.equal(await statusOf(notes.dbDelete(id, options)), 404)
    assert.deepInclude(await rowOf('crud_notes', id), { title: 'a note', is_deleted: NO })
    assert.isEmpty(Note.asked)
  })

  test('[P14] an OR in the scope does not bypass the key, the filters or soft deletion', async ({
    assert,
  }) => {
    const options = { actor: ANNA }
    const own = await insertNote({ owner: 'anna', title: 'own' })
    const shared = await insertNote({ owner: 'everyone', title: 'shared' })
    const gone = await insertNote({ owner: 'everyone', title: 'gone', is_deleted: true })

    assert.deepInclude(await notes.get(own, options), { title: 'own' })
    assert.deepInclude(await notes.get(shared, options), { title: 'shared' })
    assert.isNull(await notes.get(gone, options))
    assert.isNull(await notes.get(0, options))
    assert.equal(await notes.count({ title: 'own' }, options), 1)
    const list = await notes.getMulti({ sort: '-id' }, options)
    assert.deepEqual(
      list.data.map((item) => item.title),
      ['shared', 'own']
    )
    await notes.dbDelete(own, options)
    const rows = await db.from('crud_notes').orderBy('id')
    assert.deepEqual(
      rows.map((row) => row.title),
      ['shared', 'gone']
    )
  })

  const scopes: Record<string, Scope> = {
    'begins with an alternative': (query, actor) => {
      query.orWhere('owner', String(actor.user)).orWhere('owner', 'everyone')
    },
    'joins another table': (query, actor) => {
      query
        .join('crud_counters', 'crud_counters.name', 'crud_notes.owner')
        .where('crud_counters.name', String(actor.user))
        .orWhere('crud_counters.name', 'everyone')
    },
    'asks a subquery': (query, actor) => {
      const names = db
        .from('crud_counters')
        .select('name')
        .whereIn('name', [String(actor.user)])
      query.whereIn('owner', names)
    },
  }
  for (const [what, scope] of Object.entries(scopes)) {
    test(`[P14] a scope can be one that ${what}`, async ({ assert }) => {
      await db.from('crud_counters').delete()
      await insertCounter('anna')
      await insertCounter('bert')
      const crud = new LucidCrud(Note).bind(new Resource({ model: Note, scope }))
      const options = { actor: ANNA }
      const own = await insertNote({ owner: 'anna', title: 'own' })
      const other = await insertNote({ owner: 'bert', title: 'other' })
      await insertNote({ owner: 'anna', title: 'gone', is_deleted: true })

      assert.deepInclude(await crud.get(own, options), { title: 'own' })
      assert.isNull(await crud.get(other, options))
      const list = await crud.getMulti({ filters: { title__ne: 'x' } }, options)
      assert.deepEqual([list.data.map((item) => item.title), list.total_count], [['own'], 1])
      await crud.update(own, { title: 'changed' }, options)
      assert.equal(await statusOf(crud.update(other, { title: 'changed' }, options)), 404)
      await crud.delete(own, options)
      assert.equal(await crud.count({}, options), 0)
    })
  }

  test("[P14] an actor can't create an item outside the scope", async ({ assert }) => {
    const values = { owner: 'bert', title: 'a present' }
    assert.equal(await statusOf(notes.create(values, { actor: ANNA })), 403)
    assert.isEmpty(await db.from('crud_notes'))
  })

  test("[P14] an actor can't move an item out of the scope", async ({ assert }) => {
    const id = await insertNote({ owner: 'anna' })
    for (const returning of [false, true]) {
      const call = notes.update(id, { owner: 'bert' }, { actor: ANNA, returning })
      assert.equal(await statusOf(call), 403)
      assert.deepInclude(await rowOf('crud_notes', id), { owner: 'anna' })
    }
    await notes.update(id, { owner: 'everyone' }, { actor: ANNA })
    assert.deepInclude(await rowOf('crud_notes', id), { owner: 'everyone' })
  })

  test("[P8, P14] in a caller's transaction only the refused write is rolled back", async ({
    assert,
  }) => {
    const id = await insertNote({ owner: 'anna' })
    await db.transaction(async (client) => {
      const options = { actor: ANNA, client }
      await notes.update(id, { title: 'changed' }, options)
      assert.equal(await statusOf(notes.update(id, { owner: 'bert' }, options)), 403)
      assert.equal(
        await statusOf(notes.create({ owner: 'bert', title: 'a present' }, options)),
        403
      )
    })
    const rows = await db.from('crud_notes').select('owner', 'title')
    assert.deepEqual(rows, [{ owner: 'anna', title: 'changed' }])
  })

  test('[P14] a soft deletion is allowed even if the scope hides the deleted item', async ({
    assert,
  }) => {
    const hidesDeleted: Scope = (query) => void query.where('is_deleted', false)
    const crud = new LucidCrud(Note).bind(new Resource({ model: Note, scope: hidesDeleted }))
    const id = await insertNote({ owner: 'anna' })
    await crud.delete(id)
    assert.deepInclude(await rowOf('crud_notes', id), { is_deleted: YES })
  })
})

test.group('LucidCrud | prepareDelete', (group) => {
  group.tap((one) => one.tags(['@dialect']))
  /** Counts deletions in another counter, and refuses to delete a counter by its name. */
  class Counted extends LucidCrud<typeof Counter> {
    async prepareDelete(record: LucidRow, { actor }: CallOptions) {
      const { name } = record as Counter
      seen.push([name, actor?.user])
      await Counter.query({ client: record.$trx }).where('name', 'total').increment('value', 1)
      if (name === 'kept') throw new Problem(409, 'This one stays')
    }
  }
  const seen: unknown[] = []
  const counters = new Counted(Counter)
  let total: number

  group.each.setup(async () => {
    seen.length = 0
    await db.from('crud_counters').delete()
    total = await insertCounter('total')
  })

  test('[P8, S52] every deletion calls prepareDelete for each record, in the transaction of the deletion', async ({
    assert,
  }) => {
    const ids = []
    for (const name of ['a', 'b', 'c', 'd', 'e']) ids.push(await insertCounter(name))
    await counters.delete(ids[0], { actor: ANNA })
    await counters.dbDelete(ids[1])
    await counters.deleteMany(ids.slice(2, 4))
    await counters.deleteMany([ids[4]], { hard: true })
    assert.deepEqual(seen, [
      ['a', 'anna'],
      ['b', undefined],
      ['c', undefined],
      ['d', undefined],
      ['e', undefined],
    ])
    assert.deepEqual(await db.from('crud_counters').select('name', 'value'), [
      { name: 'total', value: 5 },
    ])
  })

  test('[P8, S52] an error of prepareDelete is thrown to the caller, and nothing is written', async ({
    assert,
  }) => {
    const ids = [await insertCounter('a'), await insertCounter('kept')]
    assert.equal(await statusOf(counters.delete(ids[1])), 409)
    assert.equal(await statusOf(counters.dbDelete(ids[1])), 409)
    assert.equal(await statusOf(counters.deleteMany(ids)), 409)
    assert.lengthOf(await db.from('crud_counters'), 3)
    assert.deepInclude(await rowOf('crud_counters', total), { value: 0 })
  })
})

test.group('LucidCrud | find by filters', (group) => {
  group.tap((one) => one.tags(['@dialect']))
  const counters = new LucidCrud(Counter)
  const notes = new LucidCrud(Note)
  group.each.setup(async () => {
    for (const table of ['crud_counters', 'crud_notes']) await db.from(table).delete()
  })

  test('[W10] find returns the first record that matches the filters, or null', async ({
    assert,
  }) => {
    for (const [value, name] of ['one', 'two', 'other'].entries()) await insertCounter(name, value)
    const first = await counters.find({ name__startswith: 'o' })
    assert.instanceOf(first, Counter)
    assert.equal(first!.$attributes.value, 0)
    const last = await counters.find({ name__startswith: 'o', value__gte: 1 })
    assert.equal(last!.$attributes.value, 2)
    assert.isNull(await counters.find({ name: 'four' }))
    assert.equal((await counters.find(first!.$primaryKeyValue))!.$attributes.name, 'one')
  })

  test('[W9, W10] find refuses invalid filters with 422')
    .with([
      {},
      { nmae: 'one' },
      { name: undefined },
      { name: '' },
      { value: 'x' },
      { name__near: 1 },
    ])
    .run(async ({ assert }, filters) => {
      await insertCounter('one')
      assert.equal(await statusOf(counters.find(filters)), 422)
    })

  test('[W10] find refuses an unknown option', async ({ assert }) => {
    const id = await insertCounter('one')
    for (const wanted of [{ name: 'one' }, id]) {
      await assert.rejects(
        () => counters.find(wanted, { sort: 'name' } as object),
        /Counter: find has no option 'sort'; options are client/
      )
    }
  })

  test('[W10] find with filters applies scope, policy and soft deletion', async ({ assert }) => {
    await insertNote({ title: 'hers', owner: 'anna' })
    await insertNote({ title: 'no read', owner: 'anna' })
    await insertNote({ title: 'gone', owner: 'anna', is_deleted: true })
    assert.equal((await notes.find({ title: 'hers' }, { actor: ANNA }))!.$attributes.title, 'hers')
    assert.isNull(await notes.find({ title: 'hers' }, { actor: BERT }))
    assert.equal(await statusOf(notes.find({ title: 'no read' }, { actor: ANNA })), 403)
    assert.isNull(await notes.find({ title: 'gone' }, { actor: ANNA }))
    const deleted = await notes.find({ title: 'gone' }, { actor: ANNA, deleted: 'only' })
    assert.equal(deleted!.$attributes.title, 'gone')
  })
})
