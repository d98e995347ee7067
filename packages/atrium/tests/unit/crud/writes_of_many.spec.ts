import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import { LucidCrud, Problem, ValueError, type Actor } from '#crud'
import { Note } from '#tests/fixtures/crud'
import { Artwork } from '#tests/fixtures/ateliers'
import { Crate } from '#tests/fixtures/batches'
import { strange } from '#tests/helpers/actors'
import { insertRow } from '#tests/helpers/databases'

const ANNA: Actor = strange({ kind: 'token', user: 'anna' })
const BANNED: Actor = strange({ kind: 'token', user: 'banned' })

async function problemOf(promise: Promise<unknown>): Promise<Problem> {
  const outcome = await promise.catch((error) => error)
  if (!(outcome instanceof Problem)) throw outcome
  return outcome
}

async function statusOf(promise: Promise<unknown>): Promise<number> {
  const { status } = await problemOf(promise)
  return status
}

const rows = () => db.from('artworks').orderBy('id').select('sku', 'title', 'scale')

async function valuesOf(name: string): Promise<unknown[]> {
  const all = await rows()
  return all.map((row) => row[name])
}

async function clear() {
  for (const table of ['art_tag', 'artworks', 'crud_notes', 'batch_straps', 'batch_crates']) {
    await db.from(table).delete()
  }
}

test.group('LucidCrud | upsert', (group) => {
  group.tap((one) => one.tags(['@dialect', '@driver']))
  const works = new LucidCrud(Artwork)
  const crates = new LucidCrud(Crate)
  const notes = new LucidCrud(Note)
  group.each.setup(clear)

  test('[W9] upsert creates an item, and changes the one that has the unique value', async ({
    assert,
  }) => {
    const created = await works.upsert({ sku: 'a', title: 'A', scale: 1 }, { on: ['sku'] })
    assert.deepInclude(created, { sku: 'a', title: 'A', scale: 1 })
    const changed = await works.upsert({ sku: 'a', title: 'B' }, { on: ['sku'] })
    assert.deepInclude(changed, { id: created.id, sku: 'a', title: 'B', scale: 1 })
    await works.upsert({ id: created.id, title: 'C', sku: 'c' }, { on: ['id'] })
    assert.deepEqual(await rows(), [{ sku: 'c', title: 'C', scale: 1 }])
  })

  test('[W9] the option on must name a unique column or the key', async ({ assert }) => {
    for (const on of [['title'], ['sku', 'title'], ['nothing'], []]) {
      const outcome = await works.upsert({ sku: 'a', title: 'A' }, { on }).catch((error) => error)
      assert.instanceOf(outcome, ValueError)
      assert.match(outcome.message, /^Artwork: on is .*, and must name the columns/)
    }
    for (const sku of [null, undefined]) {
      assert.equal(await statusOf(works.upsert({ sku, title: 'A' }, { on: ['sku'] })), 422)
    }
    assert.lengthOf(await rows(), 0)
  })

  test('[W9] concurrent upserts of the same key write one item, and each one that fails is a 409', async ({
    assert,
  }) => {
    const titles = ['a', 'b', 'c', 'd', 'e', 'f']
    const outcomes = await Promise.allSettled(
      titles.map((title) => works.upsert({ sku: 'x', title }, { on: ['sku'] }))
    )
    const refused = outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))
    for (const error of refused) assert.equal((error as Problem).status, 409, String(error))
    assert.lengthOf(await rows(), 1)
  })

  test('[W9] upsert does not change deleted or hidden items, and is a 409 if one has the unique value', async ({
    assert,
  }) => {
    const row = { label: 'gone', is_deleted: true, updated_at: '2026-01-01 00:00:00' }
    await insertRow('batch_crates', row)
    assert.equal(
      await statusOf(crates.upsert({ label: 'gone', weight: 5 }, { on: ['label'] })),
      409
    )
    const id = await insertRow('crud_notes', { title: 'x', owner: 'bert' })
    const taken = notes.upsert({ id, title: 'y', owner: 'anna' }, { on: ['id'], actor: ANNA })
    assert.equal(await statusOf(taken), 409)
  })

  test('[W9] upsert checks the policy for a create or an update, whichever it runs', async ({
    assert,
  }) => {
    const id = await insertRow('crud_notes', { title: 'no update', owner: 'anna' })
    const values = { id, title: 'y' }
    assert.equal(await statusOf(notes.upsert(values, { on: ['id'], actor: ANNA })), 403)
    const created = notes.upsert(
      { id: id + 1, title: 'no create', owner: 'anna' },
      { on: ['id'], actor: ANNA }
    )
    assert.equal(await statusOf(created), 403)
  })

  test('[W9] upsertMany writes all items or none, in one transaction', async ({ assert }) => {
    await insertRow('artworks', { sku: 'a', title: 'A' })
    const all = [
      { sku: 'b', title: 'B' },
      { sku: 'a', title: 'A2' },
      { sku: 'b', title: 'B2' },
    ]
    const items = await works.upsertMany(all, { on: ['sku'] })
    assert.deepEqual(
      items.map(({ title }) => title),
      ['B', 'A2', 'B2']
    )
    assert.deepEqual(await rows(), [
      { sku: 'a', title: 'A2', scale: null },
      { sku: 'b', title: 'B2', scale: null },
    ])
    const failing = [{ sku: 'c', title: 'C' }, { sku: 'd' }]
    assert.equal(await statusOf(works.upsertMany(failing, { on: ['sku'] })), 422)
    assert.lengthOf(await rows(), 2)
    await db
      .transaction(async (client) => {
        await works.upsertMany([{ sku: 'e', title: 'E' }], { on: ['sku'], client })
        throw new Error('undo')
      })
      .catch(() => {})
    assert.lengthOf(await rows(), 2)
  })

  test('[W9] createMany returns the items, or an empty list with returning: false', async ({
    assert,
  }) => {
    const items = await works.createMany([
      { sku: 'a', title: 'A' },
      { title: 'B', scale: 2 },
    ])
    assert.deepEqual(
      items.map(({ title, scale }) => [title, scale]),
      [
        ['A', null],
        ['B', 2],
      ]
    )
    assert.deepEqual(await works.createMany([{ title: 'C' }], { returning: false }), [])
    assert.equal(await statusOf(works.createMany([{ title: 'D' }, { sku: 'a', title: 'E' }])), 409)
    assert.lengthOf(await rows(), 3)
  })
})

test.group('LucidCrud | writes by filters', (group) => {
  group.tap((one) => one.tags(['@dialect', '@driver']))
  const works = new LucidCrud(Artwork)
  const crates = new LucidCrud(Crate)
  const notes = new LucidCrud(Note)
  group.each.setup(async () => {
    await clear()
    for (const [index, sku] of ['a', 'b', 'c'].entries()) {
      await insertRow('artworks', { sku, title: sku, scale: index })
    }
  })

  test('[W9] updateWhere changes all matching items if there are at most max of them', async ({
    assert,
  }) => {
    assert.equal(await works.updateWhere({ sku: 'a' }, { title: 'x' }), 1)
    assert.equal(await works.updateWhere({ scale__gte: 1 }, { title: 'y' }, { max: 2 }), 2)
    assert.equal(await works.updateWhere({ sku: 'z' }, { title: 'z' }), 0)
    assert.deepEqual(await rows(), [
      { sku: 'a', title: 'x', scale: 0 },
      { sku: 'b', title: 'y', scale: 1 },
      { sku: 'c', title: 'y', scale: 2 },
    ])
  })

  test('[W9] updateWhere and deleteWhere write nothing if more items match than max', async ({
    assert,
  }) => {
    for (const [max, most] of [
      [undefined, 1],
      [2, 2],
      [0, 0],
    ] as const) {
      const { status, message } = await problemOf(
        works.updateWhere({ scale__gte: 0 }, { title: 'x' }, { max })
      )
      assert.equal(status, 412)
      assert.include(message, '3 items match')
      assert.include(message, `at most ${most}`)
      assert.equal(await statusOf(works.deleteWhere({ scale__gte: 0 }, { max })), 412)
    }
    assert.deepEqual(await valuesOf('title'), ['a', 'b', 'c'])
  })

  test('[W9] unknown, empty and missing filters are a 422', async ({ assert }) => {
    const all = [undefined, {}, { nothing: 1 }, { sku: '' }, { sku: undefined }, { scale: 'x' }]
    for (const filters of all) {
      const where = filters as Record<string, unknown>
      assert.equal(await statusOf(works.updateWhere(where, { title: 'x' }, { max: 9 })), 422)
      assert.equal(await statusOf(works.deleteWhere(where, { max: 9 })), 422)
    }
    assert.lengthOf(await rows(), 3)
  })

  test('[W9] updateWhere writes all matching items or none', async ({ assert }) => {
    const where = { scale__gte: 1 }
    assert.equal(await statusOf(works.updateWhere(where, { sku: 'n' }, { max: 2 })), 409)
    assert.equal(await statusOf(works.updateWhere(where, { title: null }, { max: 2 })), 422)
    assert.deepEqual(await valuesOf('sku'), ['a', 'b', 'c'])
  })

  test('[W9] deleteWhere deletes items as delete does, including soft deletion', async ({
    assert,
  }) => {
    assert.equal(await works.deleteWhere({ scale__in: [0, 2] }, { max: 5 }), 2)
    assert.deepEqual(await valuesOf('sku'), ['b'])
    const row = { label: 'x', updated_at: '2026-01-01 00:00:00' }
    const id = await insertRow('batch_crates', row)
    assert.equal(await crates.deleteWhere({ label: 'x' }), 1)
    const crate = await db.from('batch_crates').where('id', id).first()
    assert.equal(Number(crate.is_deleted), 1)
    assert.equal(await crates.deleteWhere({ label: 'x' }), 0)
  })

  test('[W9] updateWhere and deleteWhere check scope and policy for each record', async ({
    assert,
  }) => {
    await insertRow('crud_notes', { title: 'a', owner: 'anna' })
    await insertRow('crud_notes', { title: 'a', owner: 'bert' })
    const actor = ANNA
    assert.equal(await notes.updateWhere({ title: 'a' }, { title: 'b' }, { max: 5, actor }), 1)
    assert.equal(await statusOf(notes.deleteWhere({ title: 'b' }, { actor: BANNED })), 403)
    await insertRow('crud_notes', { title: 'no update', owner: 'anna' })
    const refused = notes.updateWhere({ id__gt: 0 }, { title: 'c' }, { max: 5, actor })
    assert.equal(await statusOf(refused), 403)
    const titles = await db.from('crud_notes').orderBy('id').select('title')
    assert.deepEqual(
      titles.map(({ title }) => title),
      ['b', 'a', 'no update']
    )
  })
})
