import logger from '@adonisjs/core/services/logger'
import emitter from '@adonisjs/core/services/emitter'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { LucidCrud, ModelCreated, ModelDeleted, ModelUpdated } from '#crud'
import { hasListeners } from '#crud/events/model_events'
import { watch } from '#crud/events/record_hooks'
import { Resource } from '#crud/resource/resource'
import { Article, Hooked, Pair, Plain, PlainChild, Unwatched } from '#tests/fixtures/events'
import { listen, moment, idOf } from '#tests/helpers/model_events'
import { strange } from '#tests/helpers/actors'

const articles = new LucidCrud(Article)
const plains = new LucidCrud(Plain)
const pairs = new LucidCrud(Pair)

async function emptyTables() {
  for (const table of ['event_articles', 'event_plains', 'event_pairs', 'event_hooked']) {
    await db.from(table).delete()
  }
}

test.group('Model events', (group) => {
  group.tap((one) => one.tags(['@database']))
  group.each.setup(() => emptyTables())

  test('[E1] LucidCrud emits create, update, soft delete, restore and delete', async ({
    assert,
    cleanup,
  }) => {
    const { heard } = listen(cleanup)
    const { id } = (await articles.create({ title: 'one' })) as { id: number }
    await articles.update(id, { title: 'two' })
    await articles.delete(id)
    await articles.restoreMany([id])
    await articles.dbDelete(id)
    assert.deepEqual(await heard(), [
      `created Article ${id}`,
      `updated Article ${id}`,
      `deleted Article ${id} softly`,
      `updated Article ${id}`,
      `deleted Article ${id}`,
    ])
  })

  test('[E1] a listener can save the created record again', async ({ assert, cleanup }) => {
    const written = Promise.withResolvers<void>()
    const stop = emitter.on(ModelCreated, async ({ record }) => {
      const article = record as Article
      article.title = 'by the listener'
      await article.save().then(() => written.resolve(), written.reject)
    })
    cleanup(() => stop())
    const { id } = (await articles.create({ title: 'one' })) as { id: number }
    await written.promise
    const stored = await Article.findOrFail(id)
    assert.equal(stored.title, 'by the listener')
  })

  test('[E1, B16] bulk operations emit one event per record', async ({ assert, cleanup }) => {
    const ids = []
    for (const title of ['a', 'b']) ids.push(await idOf(Article.create({ title })))
    const { heard } = listen(cleanup)
    await articles.deleteMany(ids)
    await articles.restoreMany(ids)
    await articles.deleteMany(ids, { hard: true })
    assert.deepEqual(await heard(), [
      ...ids.map((id) => `deleted Article ${id} softly`),
      ...ids.map((id) => `updated Article ${id}`),
      ...ids.map((id) => `deleted Article ${id}`),
    ])
  })

  test('[E1] save() and delete() in application code emit events without an actor', async ({
    assert,
    cleanup,
  }) => {
    const { events, heard } = listen(cleanup)
    const plain = await Plain.create({ name: 'one', value: 1 })
    plain.name = 'two'
    await plain.save()
    await plain.delete()
    assert.deepEqual(await heard(), [
      `created Plain ${plain.id}`,
      `updated Plain ${plain.id}`,
      `deleted Plain ${plain.id}`,
    ])
    assert.deepEqual(events[0].actor, { kind: 'none' })
  })

  test('[E1] setting the deletion flag in application code emits a soft deletion, and resetting it an update', async ({
    assert,
    cleanup,
  }) => {
    const article = await Article.create({ title: 'one' })
    const { heard } = listen(cleanup)
    await article.merge({ isDeleted: true }).save()
    await article.merge({ isDeleted: false }).save()
    assert.deepEqual(await heard(), [
      `deleted Article ${article.id} softly`,
      `updated Article ${article.id}`,
    ])
  })

  test('[E1, A9] events of LucidCrud contain composite keys', async ({ assert, cleanup }) => {
    const { heard } = listen(cleanup)
    await pairs.create({ left: 1, right: 'a', label: 'x' })
    await pairs.create({ left: 1, right: 'b', label: 'y' })
    await pairs.update([1, 'a'], { label: 'z' })
    await pairs.delete([1, 'b'])
    assert.deepEqual(await heard(), [
      'created Pair 1/a',
      'created Pair 1/b',
      'updated Pair 1/a',
      'deleted Pair 1/b',
    ])
  })

  test('[E1] changes contain old and new values of changed columns by API name', async ({
    assert,
    cleanup,
  }) => {
    const { events, heard } = listen(cleanup)
    const { id } = (await articles.create({ title: 'one', hidden: 'x' })) as { id: number }
    await articles.update(id, { title: 'two', hidden: 'y', accessToken: 'z' })
    await heard()
    const [created, updated] = events
    assert.deepInclude(created.changes, { heading: { old: null, new: 'one' } })
    assert.notProperty(created.changes, 'body')
    assert.sameMembers(
      Object.keys(updated.changes).filter((name) => name !== 'updated_at'),
      ['heading']
    )
    assert.deepEqual(updated.changes.heading, { old: 'one', new: 'two' })
    assert.notInclude(JSON.stringify([created.changes, updated.changes]), 'hidden')
    assert.instanceOf(updated.record, Article)
    assert.strictEqual(updated.model, Article)
  })

  test('[E1] events of LucidCrud contain the actor', async ({ assert, cleanup }) => {
    const { events, heard } = listen(cleanup)
    const actor = strange({ kind: 'token', user: { id: 1 } })
    await plains.create({ name: 'one' }, { actor })
    await heard()
    assert.deepEqual(events[0].actor, actor)
  })

  for (const [name, undo] of [
    ['an outer transaction of LucidCrud', (work: any) => db.transaction(work)],
    ['a nested one of own code', (work: any) => db.transaction((outer) => outer.transaction(work))],
  ] as const) {
    test(`[E1] a transaction that is rolled back emits no events: ${name}`, async ({
      assert,
      cleanup,
    }) => {
      const plain = await Plain.create({ name: 'one', value: 1 })
      const { heard } = listen(cleanup)
      const outcome = undo(async (client: any) => {
        await plains.update(plain.id, { name: 'two' }, { client })
        await Plain.create({ name: 'three', value: 1 }, { client })
        const own = await Plain.findOrFail(plain.id, { client })
        await own.merge({ value: 5 }).save()
        await own.delete()
        throw new Error('undone')
      })
      await assert.rejects(() => outcome as Promise<unknown>, 'undone')
      assert.deepEqual(await heard(), [])
    })
  }

  test('[E1] a rollback to a savepoint drops only events since the savepoint', async ({
    assert,
    cleanup,
  }) => {
    const { heard } = listen(cleanup)
    let id = 0
    await db.transaction(async (outer) => {
      const inner = await outer.transaction()
      await Plain.create({ name: 'undone', value: 1 }, { client: inner })
      await inner.rollback()
      const stored = await Plain.create({ name: 'kept', value: 1 }, { client: outer })
      id = stored.id
      await moment()
    })
    assert.deepEqual(await heard(), [`created Plain ${id}`])
  })

  test('[E1] events are emitted after the outermost commit', async ({ assert, cleanup }) => {
    const { heard } = listen(cleanup)
    await db.transaction(async (outer) => {
      await outer.transaction(
        async (client) => void (await plains.create({ name: 'one' }, { client }))
      )
      assert.deepEqual(await heard(), [])
    })
    assert.lengthOf(await heard(), 1)
  })

  test('[E1] a failed write emits no events', async ({ assert, cleanup }) => {
    await db.table('event_hooked').insert({ name: 'taken' })
    const { heard } = listen(cleanup)
    await assert.rejects(() => new LucidCrud(Hooked).create({ name: 'taken' }))
    await assert.rejects(() => Hooked.create({ name: 'taken' }))
    assert.deepEqual(await heard(), [])
  })

  test('[E1] a write without changes emits no events', async ({ assert, cleanup }) => {
    const plain = await Plain.create({ name: 'one', value: 1 })
    const { heard } = listen(cleanup)
    await plains.update(plain.id, {})
    await plains.update(plain.id, { name: 'one' })
    await plain.save()
    await plain.enableForceUpdate().save()
    assert.deepEqual(await heard(), [])
  })

  test('[E1] saveQuietly() and writes of a query builder emit no events', async ({
    assert,
    cleanup,
  }) => {
    const { heard } = listen(cleanup)
    const plain = await Plain.createQuietly({ name: 'one', value: 1 })
    plain.name = 'two'
    await plain.saveQuietly()
    await Plain.query().where('id', plain.id).update({ name: 'three' })
    await plain.deleteQuietly()
    await Plain.query().delete()
    await Unwatched.create({ name: 'four' })
    assert.deepEqual(await heard(), [])
  })

  test('[E1] a subclass without a decorator emits events with the name of its model', async ({
    assert,
    cleanup,
  }) => {
    const { events, heard } = listen(cleanup)
    const child = await PlainChild.create({ name: 'one', value: 1 })
    assert.deepEqual(await heard(), [`created Plain ${child.id}`])
    assert.lengthOf(events, 1)
  })

  test('[E1] a subclass with endpoints emits events with its own name, once each', async ({
    assert,
    cleanup,
  }) => {
    class OwnChild extends Plain {
      static table = 'event_plains'
    }
    OwnChild.boot()
    watch(new Resource({ model: OwnChild }))
    const { heard } = listen(cleanup)
    const child = await OwnChild.create({ name: 'one', value: 1 })
    await child.delete()
    assert.deepEqual(await heard(), [
      `created OwnChild ${child.id}`,
      `deleted OwnChild ${child.id}`,
    ])
  })

  test('[E1] writes by hooks in the same transaction emit events, too', async ({
    assert,
    cleanup,
  }) => {
    const { events, heard } = listen(cleanup)
    const actor = strange({ kind: 'admin', user: { id: 1 } })
    await new LucidCrud(Hooked).create({ name: 'one' }, { actor })
    await heard()
    assert.sameMembers(
      events.map(({ model }) => model.name),
      ['Hooked', 'Plain']
    )
    assert.deepEqual(
      events.map((event) => event.actor),
      [actor, actor]
    )
  })

  test('[E1] writes that a hook rolls back emit no events, but the write of the action does', async ({
    assert,
    cleanup,
  }) => {
    cleanup(() => void (Hooked.inSavepoint = 'none'))
    const { events, heard } = listen(cleanup)
    for (const [outcome, models] of [
      ['undone', ['Hooked']],
      ['released', ['Hooked', 'Plain']],
    ] as const) {
      Hooked.inSavepoint = outcome
      events.length = 0
      await new LucidCrud(Hooked).create({ name: outcome })
      await heard()
      assert.sameMembers(
        events.map(({ model }) => model.name),
        [...models]
      )
    }
  })

  test('[E1] an error in a listener is logged, and other listeners run', async ({
    assert,
    cleanup,
  }) => {
    const logged: unknown[] = []
    logger.error = ((bindings: { err: Error }) => void logged.push(bindings.err)) as never
    cleanup(() => void delete (logger as Partial<typeof logger>).error)
    cleanup(
      emitter.on(ModelCreated, () => {
        throw new Error('listener failed')
      })
    )
    const { heard } = listen(cleanup)
    const { id } = (await plains.create({ name: 'one' })) as { id: number }
    const own = await Plain.create({ name: 'two', value: 1 })
    assert.sameMembers(await heard(), [`created Plain ${id}`, `created Plain ${own.id}`])
    assert.deepEqual(
      logged.map((error) => (error as Error).message),
      ['listener failed', 'listener failed']
    )
  })

  test('[E1] a write does not wait for listeners', async ({ assert, cleanup }) => {
    let release = () => {}
    const held = new Promise<void>((resolve) => (release = resolve))
    let isDone = false
    cleanup(
      emitter.on(ModelUpdated, async () => {
        await held
        isDone = true
      })
    )
    const plain = await Plain.create({ name: 'one', value: 1 })
    await plains.update(plain.id, { name: 'two' })
    await plain.refresh()
    await plain.merge({ name: 'three' }).save()
    assert.isFalse(isDone)
    release()
    await moment()
    assert.isTrue(isDone)
  })

  test('[E1] a listener can be added with a single line of code', async ({ assert, cleanup }) => {
    const names: string[] = []
    cleanup(emitter.on(ModelDeleted, (event) => void names.push(event.model.name)))
    const plain = await Plain.create({ name: 'one', value: 1 })
    await plain.delete()
    await moment()
    assert.deepEqual(names, ['Plain'])
  })

  test('[E1] hasListeners is true if there is a listener for any of the three events', ({
    assert,
  }) => {
    assert.isFalse(hasListeners())
    for (const event of [ModelCreated, ModelUpdated, ModelDeleted]) {
      const stop = emitter.on(event, () => {})
      assert.isTrue(hasListeners(), event.name)
      stop()
    }
    assert.isFalse(hasListeners())
  })
})
