import db from '@adonisjs/lucid/services/db'
import type { ModelAttributes } from '@adonisjs/lucid/types/model'
import { test } from '@japa/runner'
import fc from 'fast-check'
import type { AdminAuditLog, AdminUser } from '#admin'
import { LucidCrud, Problem, type Item } from '#crud'
import type { CallOptions } from '#crud/operations/call_options'
import { Article } from '#tests/fixtures/events'
import { adminSite, emptyAdminTables, makeUser } from '#tests/helpers/admin'
import { emptyEventTables } from '#tests/helpers/events'
import { del, patch, post, type HttpResponse } from '#tests/helpers/http'
import { audited } from '#tests/helpers/model_events'
import { UnknownKey } from '#base/errors'

interface Step {
  kind: 'create' | 'update' | 'delete' | 'remove' | 'restore'
  way: 'admin' | 'bulk' | 'rest' | 'own'
  /** Index of the existing record */
  target: number
  title: string
  amount: number | null
  data: unknown
}

const RUNS = 20

/** Throws for a REST error, as LucidCrud would. */
function ok({ status }: HttpResponse) {
  if (status >= 500) throw new Error(`answered with ${status}`)
  if (status >= 400) throw new Problem(status, 'refused')
}

const steps = fc.array(
  fc.record<Step>({
    kind: fc.constantFrom('create', 'create', 'update', 'update', 'delete', 'remove', 'restore'),
    way: fc.constantFrom('admin', 'bulk', 'rest', 'own'),
    target: fc.nat(20),
    title: fc.string({ minLength: 1, maxLength: 20, unit: 'grapheme' }),
    amount: fc.option(fc.integer({ min: -1000, max: 1000 }).map((cents) => cents / 4)),
    data: fc.option(fc.dictionary(fc.constantFrom('a', 'b'), fc.integer())),
  }),
  { minLength: 5, maxLength: 30, size: 'max' }
)

async function saveOwn(id: number, values: Partial<ModelAttributes<Article>>) {
  const article = await Article.findOrFail(id)
  await article.merge(values).save()
}

async function deleteOwn(id: number) {
  const article = await Article.findOrFail(id)
  await article.delete()
}

/** Every record as REST shows it, including deleted ones, without fields that events leave out. */
async function table(): Promise<Map<string, Item>> {
  const { data } = await new LucidCrud(Article).getMulti({ deleted: 'include' } as never)
  return new Map(data.map(({ access_token: _, ...item }) => [String(item.id), item]))
}

/**
 * Records according to the audit log. Each row must begin with the state in which the previous one
 * ended.
 */
function replayed(rows: AdminAuditLog[]): Map<string, Item> {
  const states = new Map<string, Item>()
  for (const { resourceId, action, previousState, newState, changes } of rows) {
    const known = states.get(resourceId) ?? null
    if (JSON.stringify(known) !== JSON.stringify(previousState)) {
      throw new Error(
        `a gap at ${resourceId}: ${JSON.stringify(known)}, then ${JSON.stringify(previousState)}`
      )
    }
    const isGone = newState === null
    if ((previousState === null) !== (action === 'CREATE')) throw new Error(`wrong: ${action}`)
    if (isGone && action !== 'DELETE') throw new Error(`wrong: ${action}`)
    for (const [name, pair] of Object.entries(changes)) {
      const seen = [previousState?.[name] ?? null, newState?.[name] ?? null]
      if (JSON.stringify(seen) !== JSON.stringify([pair.old, pair.new])) {
        throw new Error(`changes of ${name} do not tell what the states do`)
      }
    }
    if (isGone) states.delete(resourceId)
    else states.set(resourceId, newState)
  }
  return states
}

test.group('The event log | replay', (group) => {
  group.tap((one) => one.tags(['@database']))
  let user: AdminUser
  group.setup(async () => {
    await emptyAdminTables()
    user = await makeUser('ada')
  })
  group.each.setup(async () => {
    await db.from('event_articles').delete()
    await emptyEventTables()
  })

  /** @returns true if the operation was possible */
  async function run({ kind, way, target, ...values }: Step): Promise<boolean> {
    const rows = await db.from('event_articles').select('id', 'is_deleted').orderBy('id')
    const fit = rows.filter((row) => Boolean(row.is_deleted) === (kind === 'restore'))
    /* Now and then a record for which the operation is not possible */
    const candidates = kind === 'remove' || target % 5 === 0 ? rows : fit
    if (kind === 'create') {
      await create(way, values)
      return true
    }
    if (candidates.length === 0) return false
    const { id } = candidates[target % candidates.length]
    /* An impossible operation is refused and must leave no trace. */
    try {
      await DO[kind](way, id, values)
      return true
    } catch (error) {
      if (!(error instanceof Problem || error instanceof UnknownKey)) throw error
      return false
    }
  }

  async function adminDoor() {
    const { models } = await adminSite()
    const view = models.get('Article')!
    const options: CallOptions = { client: view.client(), actor: { kind: 'admin', user } }
    return { crud: view.crud, options }
  }

  async function create(
    way: Step['way'],
    { title, amount, data }: Omit<Step, 'kind' | 'way' | 'target'>
  ) {
    const { crud, options } = await adminDoor()
    if (way === 'rest') ok(await post('/api/event-articles', { heading: title, amount, data }))
    else if (way === 'own') await Article.create({ title, amount, data: JSON.stringify(data) })
    else await crud.create({ title, amount, data: JSON.stringify(data) }, options)
  }

  const DO = {
    async update(
      way: Step['way'],
      id: number,
      { title, amount }: { title: string; amount: number | null }
    ) {
      const { crud, options } = await adminDoor()
      if (way === 'rest') ok(await patch(`/api/event-articles/${id}`, { heading: title, amount }))
      else if (way === 'own') await saveOwn(id, { title, amount })
      else await crud.update(id, { title, amount }, options)
    },
    async delete(way: Step['way'], id: number) {
      const { crud, options } = await adminDoor()
      if (way === 'rest') ok(await del(`/api/event-articles/${id}`))
      else if (way === 'own') await saveOwn(id, { isDeleted: true })
      else if (way === 'bulk') await crud.deleteMany([id], options)
      else await crud.delete(id, options)
    },
    async remove(way: Step['way'], id: number) {
      const { crud, options } = await adminDoor()
      if (way === 'rest') ok(await del(`/api/event-articles/db_delete/${id}`))
      else if (way === 'own') await deleteOwn(id)
      else if (way === 'bulk') await crud.deleteMany([id], { ...options, hard: true })
      else await crud.dbDelete(id, options)
    },
    async restore(way: Step['way'], id: number) {
      const { crud, options } = await adminDoor()
      if (way === 'own') await saveOwn(id, { isDeleted: false, deletedAt: null })
      else await crud.restoreMany([id], options)
    },
  } satisfies Record<string, (way: Step['way'], id: number, values: any) => Promise<unknown>>

  test('[E3, E4] replaying the audit log reproduces the table, for all kinds of writes', async ({
    assert,
  }) => {
    const done = new Set<string>()
    await fc.assert(
      fc.asyncProperty(steps, async (all) => {
        await db.from('event_articles').delete()
        await emptyEventTables()
        for (const step of all) {
          if (await run(step)) done.add(`${step.kind} by ${step.way}`)
        }
        const rows = await audited('Article')
        assert.deepEqual([...replayed(rows)].sort(), [...(await table())].sort())
      }),
      { numRuns: RUNS, seed: 20261121 }
    )
    assert.equal(done.size, 20, [...done].sort().join(', '))
  })

  test('[E3] if 20 writers change a record concurrently, each logged old state equals the previous new state', async ({
    assert,
  }) => {
    const crud = new LucidCrud(Article)
    const { id } = (await crud.create({ title: 'start' })) as { id: number }
    await Promise.all(
      Array.from({ length: 20 }, async (_, index) => {
        if (index % 2 === 0) await patch(`/api/event-articles/${id}`, { heading: `rest ${index}` })
        else {
          await db.transaction(async (client) => {
            const article = await Article.findOrFail(id, { client })
            await new Promise(setImmediate)
            await article.merge({ title: `own ${index}`, amount: index }).save()
          })
        }
      })
    )
    const rows = await audited('Article')
    assert.lengthOf(rows, 21)
    assert.deepEqual([...replayed(rows)], [...(await table())])
    const titles = rows.map(({ newState }) => newState!.heading)
    assert.equal(new Set(titles).size, 21)
  })
})
