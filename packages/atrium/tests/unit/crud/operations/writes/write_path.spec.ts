import {
  BaseModel,
  beforeCreate,
  beforeFind,
  beforeSave,
  beforeUpdate,
  column,
} from '@adonisjs/lucid/orm'
import db from '@adonisjs/lucid/services/db'
import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import type { LucidModel } from '@adonisjs/lucid/types/model'
import { test } from '@japa/runner'
import { DateTime } from 'luxon'
import { noteFileColumns } from '#crud/operations/writes/check_files'
import {
  canReadTogether,
  changesByStatement,
  recordersOf,
  rowByStatement,
  runsOwnCode,
  stampsByStatement,
} from '#crud/operations/writes/write_path'
import { Records } from '#crud/operations/records'
import { watch } from '#crud/events/record_hooks'
import { Resource } from '#crud/resource/resource'
import { LucidCrud, observeWrites, systemActor } from '#crud'
import { strange } from '#tests/helpers/actors'
import { insertRow } from '#tests/helpers/databases'

const TABLE = 'event_plains'

class Usual extends BaseModel {
  static table = TABLE

  @column({ isPrimary: true })
  declare id: number

  @column()
  declare name: string

  @column()
  declare value: number | null
}

/** A model without anything that requires the record path, of its own for each test. */
function modelOf(change: (model: any) => void = () => {}): LucidModel {
  class Bare extends Usual {
    static table = TABLE
  }
  Bare.boot()
  change(Bare)
  return Bare
}

const overriding = (name: string) => ({ overrides: [name] })
const hooked = (decorate: (target: any, name: string) => void, name = 'hook') => ({
  model: (model: any) => {
    model[name] = () => {}
    decorate(model, name)
  },
})

interface Case {
  title: string
  model?: (model: any) => void
  options?: object
  overrides?: string[]
  /** The actions that need the record path; default: both */
  only?: 'create' | 'update'
}

const BY_RECORD: Case[] = [
  { title: 'a policy', options: { policy: () => true } },
  { title: 'a scope', options: { scope: (query: any) => void query.where('name', 'a') } },
  {
    title: 'a column with transitions',
    options: { transitions: { name: { a: ['b'] } } },
    only: 'update',
  },
  { title: 'prepareCreate', ...overriding('prepareCreate'), only: 'create' },
  { title: 'afterCreate', ...overriding('afterCreate'), only: 'create' },
  { title: 'prepareUpdate', ...overriding('prepareUpdate'), only: 'update' },
  { title: 'afterUpdate', ...overriding('afterUpdate'), only: 'update' },
  { title: 'a hook before each save', ...hooked(beforeSave()) },
  { title: 'a hook before each create', ...hooked(beforeCreate()), only: 'create' },
  { title: 'a hook before each update', ...hooked(beforeUpdate()), only: 'update' },
  { title: 'a hook before each read', ...hooked(beforeFind()), only: 'update' },
  {
    title: 'a column that converts stored values',
    model: (model) => (model.$getColumn('name').consume = (value: string) => value.trim()),
  },
  {
    title: 'a column that converts values to store',
    model: (model) => (model.$getColumn('name').prepare = (value: string) => value.trim()),
  },
  {
    title: 'a column with a setter',
    model: (model) => (model.$getColumn('name').hasSetter = true),
  },
  { title: 'save() of the model', model: ({ prototype }) => (prototype.save = () => {}) },
]

test.group('Writes by statements or by saving a model instance', () => {
  const client = () => db.connection()

  async function contextOf({ model, options, overrides = [] }: Omit<Case, 'title'> = {}) {
    const resource = new Resource({ model: modelOf(model), ...options })
    await resource.load()
    return {
      resource,
      records: new Records(resource),
      methods: LucidCrud.prototype,
      overrides: (name: string) => overrides.includes(name),
    }
  }

  type Context = Awaited<ReturnType<typeof contextOf>>

  const rowOf = (context: Context, by: QueryClientContract = client()) =>
    rowByStatement(context, { name: 'a' }, by, {}, false)
  const changesOf = (context: Context, by: QueryClientContract = client()) =>
    changesByStatement(context, { name: 'a' }, by, {})

  test('[P8.10] a model without custom code is written by statements, without creating model instances', async ({
    assert,
  }) => {
    const context = await contextOf()
    assert.deepEqual(await rowOf(context), { name: 'a' })
    assert.deepEqual(await rowByStatement(context, { name: 'a' }, client(), {}), { name: 'a' })
    assert.deepEqual(await changesOf(context), { name: 'a' })
    assert.deepEqual(await stampsByStatement(context, client(), {}), {})
    assert.isTrue(await canReadTogether(context, client()))
    assert.isFalse(await runsOwnCode(context, client(), ['create', 'update', 'delete']))
  })

  test('[P8.10] {title} causes writes to save a model instance')
    .with(BY_RECORD)
    .run(async ({ assert }, { only, ...given }) => {
      const context = await contextOf(given)
      const row = only === 'update' ? { name: 'a' } : null
      const changes = only === 'create' ? { name: 'a' } : null
      for (const time of ['first', 'second']) {
        assert.deepEqual(await rowOf(context), row, time)
        assert.deepEqual(await changesOf(context), changes, time)
      }
    })

  test('[P8.10] a subclass of a model with endpoints is written by saving a model instance', async ({
    assert,
  }) => {
    const parent = modelOf() as any
    watch(new Resource({ model: parent }))
    class Child extends parent {
      static table = TABLE
    }
    const own = { ...(await contextOf()), resource: new Resource({ model: parent }) }
    assert.deepEqual(await changesOf(own), { name: 'a' })
    const child = { ...(await contextOf()), resource: new Resource({ model: Child as any }) }
    assert.isNull(await changesOf(child))
    assert.isNull(await rowOf(child))
  })

  test('[P8.10] debug mode, a trigger, and a database that returns no rows cause writes to save a model instance', async ({
    assert,
    cleanup,
  }) => {
    const debugged = Object.create(client(), { debug: { value: true } })
    assert.isNull(await rowOf(await contextOf(), debugged))
    assert.isNull(await changesOf(await contextOf(), debugged))

    await db.rawQuery(`create trigger plain_trigger after insert on ${TABLE} begin select 1; end`)
    cleanup(() => db.rawQuery('drop trigger plain_trigger'))
    const context = await contextOf()
    assert.isNull(await rowOf(context))
    assert.isNull(await changesOf(context))
    assert.isNull(await stampsByStatement(context, client(), {}))
    assert.isTrue(await runsOwnCode(context, client(), ['update']))
    assert.isFalse(await canReadTogether(context, client()))
  })

  test('[P8.10] a write with related records, or whose item needs find hooks, saves a model instance', async ({
    assert,
  }) => {
    const related = { related: new Map() }
    assert.isNull(await rowByStatement(await contextOf(), { name: 'a' }, client(), related, false))
    const read = await contextOf(hooked(beforeFind()))
    assert.isNull(await rowByStatement(read, { name: 'a' }, client(), {}))
    assert.deepEqual(await rowByStatement(read, { name: 'a' }, client(), {}, false), { name: 'a' })
  })

  test('[P8.10] an update with {title} saves a model instance')
    .with([
      { title: 'a record', options: { located: {} }, values: { name: 'a' } },
      { title: 'a precondition', options: { precondition: () => {} }, values: { name: 'a' } },
      { title: 'related records', options: { related: new Map() }, values: { name: 'a' } },
      { title: 'no value', options: {}, values: {} },
      { title: 'a key alone', options: {}, values: { id: 1 } },
      { title: 'a date', options: {}, values: { name: DateTime.utc() } },
      { title: 'a virtual field alone', options: {}, values: { unknown: 1 } },
    ])
    .run(async ({ assert }, { options, values }) => {
      const context = await contextOf({ options: { virtualFields: ['unknown'] } })
      assert.isNull(await changesByStatement(context, values, client(), options as any))
    })

  test('[P8.10] an update of a file column saves a model instance', async ({ assert }) => {
    class Filed extends BaseModel {
      /* File columns are those of the table, so that the columns of another table would stay marked. */
      static table = 'portraits'

      @column({ isPrimary: true })
      declare id: number

      @column()
      declare title: string

      @column()
      declare image: string
    }
    const resource = new Resource({ model: Filed })
    const context = { ...(await contextOf()), resource }
    noteFileColumns(
      Filed,
      resource.columns.all.filter(({ attribute }) => attribute === 'image')
    )
    const changes = (values: object) => changesByStatement(context, { ...values }, client(), {})
    assert.isNull(await changes({ image: 'a' }))
    assert.deepEqual(await changes({ title: 'a' }), { title: 'a' })
  })

  test('[R7] writes are reverted one by one if the application overrides {$self}')
    .with(['revert', 'prepareDelete', 'prepareUpdate'])
    .run(async ({ assert }, name) => {
      assert.isNull(await stampsByStatement(await contextOf(overriding(name)), client(), {}))
    })

  test('[L9] several records are read one by one if the application overrides {$self}')
    .with(['update', 'prepareUpdate', 'afterUpdate'])
    .run(async ({ assert }, name) => {
      assert.isFalse(await canReadTogether(await contextOf(overriding(name)), client()))
      assert.isTrue(await canReadTogether(await contextOf(overriding('prepareCreate')), client()))
    })

  test('[W5.4] application code can’t write by a read-only token, by either path', async ({
    assert,
  }) => {
    const id = await insertRow(TABLE, { name: 'a' })
    const actor = strange({ kind: 'token', token: { readOnly: true } })
    for (const hook of [() => {}, hooked(beforeSave()).model]) {
      const crud = new LucidCrud(modelOf(hook))
      const writes = [
        () => crud.create({ name: 'b' }, { actor }),
        () => crud.update(id, { name: 'b' }, { actor }),
        () => crud.delete(id, { actor }),
      ]
      for (const write of writes) await assert.rejects(write, 'This token is read-only')
    }
    assert.lengthOf(await db.from(TABLE).where({ id, name: 'a' }), 1)
    await db.from(TABLE).where({ id }).delete()
  })

  test('[P8.11] a write runs without a transaction if its observers log by statements, and in one if any does not', async ({
    assert,
    cleanup,
  }) => {
    const { resource: unwatched } = await contextOf()
    assert.deepEqual(recordersOf(unwatched, client(), {}), [])
    await db.transaction(async (transaction) => {
      assert.isUndefined(recordersOf(unwatched, transaction, {}))
    })
    const resource = new Resource({ model: modelOf() })
    watch(resource)
    const options = { actor: systemActor('a test') }
    assert.isNotEmpty(recordersOf(resource, client(), options)!)
    cleanup(observeWrites({ record: async () => {} }))
    assert.isUndefined(recordersOf(resource, client(), options))
  })
})
