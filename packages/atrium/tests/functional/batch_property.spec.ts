import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import fc from 'fast-check'
import { del, patch, post } from '#tests/helpers/http'
import { runs } from '#tests/helpers/random_runs'

const PATH = '/api/batch-slots'

type Key = readonly [row: string, place: number]
interface Operations {
  create: Array<{ row: string; place: number; guest: string | null }>
  update: Array<{ id: Key; guest: string | null }>
  delete: Key[]
}

const row = fc.constantFrom('a', 'b')
const place = fc.integer({ min: 1, max: 3 })
/* Few guests, as each has one place: many batches are in conflict with themselves. */
const guest = fc.constantFrom(null, null, 'jo', 'ann', 'x'.repeat(21))
const key = fc.tuple(row, place)
const operations: fc.Arbitrary<Operations> = fc.record({
  create: fc.array(fc.record({ row, place, guest }), { maxLength: 4 }),
  update: fc.array(fc.record({ id: key, guest }), { maxLength: 4 }),
  delete: fc.uniqueArray(key, { maxLength: 3, selector: String }),
})
const stored = fc.uniqueArray(fc.record({ row, place }), {
  maxLength: 4,
  selector: (one) => one.row + one.place,
})

async function rows() {
  const found = await db.from('batch_slots').orderBy('row').orderBy('place')
  return found.map((one) => ({ ...one }))
}

async function store(slots: Array<{ row: string; place: number }>) {
  await db.from('batch_slots').delete()
  if (slots.length > 0) await db.table('batch_slots').multiInsert(slots)
}

/** Sends each operation by itself, until one is refused. */
async function oneByOne(sent: Operations) {
  const prefer = { headers: { prefer: 'return=representation' } }
  const pathOf = (id: Key) => `${PATH}/${id.join('/')}`
  const response = { created: [] as unknown[], updated: [] as unknown[], deleted: sent.delete }
  for (const [index, item] of sent.create.entries()) {
    const { body, status } = await post(PATH, item)
    if (status !== 201) return { refused: `create ${index}` }
    response.created.push(body)
  }
  for (const [index, { id, ...values }] of sent.update.entries()) {
    const { body, status } = await patch(pathOf(id), values, prefer)
    if (status !== 200) return { refused: `update ${index}` }
    response.updated.push(body)
  }
  for (const [index, id] of sent.delete.entries()) {
    const { status } = await del(pathOf(id))
    if (status !== 200) return { refused: `delete ${index}` }
  }
  return { response }
}

test.group('Batch | random operations', (group) => {
  group.tap((one) => one.tags(['@database']))

  test('[D4] random batches have the same result as their operations one by one, or change nothing', async ({
    assert,
  }) => {
    const seen = { done: 0, refused: 0 }
    await fc.assert(
      fc.asyncProperty(stored, operations, async (slots, sent) => {
        await store(slots)
        const { response, refused } = await oneByOne(sent)
        const expected = await rows()
        await store(slots)
        const before = await rows()
        const { body, status } = await post(`${PATH}/batch`, sent)
        if (refused) {
          seen.refused++
          assert.include([409, 422], status)
          const places = body.errors.map((one: any) => `${one.operation} ${one.index}`)
          /* Invalid operations are reported before any is executed. */
          if (body.errors.every(({ rule }: any) => rule !== 'maxLength')) {
            assert.equal(places[0], refused)
          }
          assert.deepEqual(await rows(), before)
        } else {
          seen.done++
          assert.equal(status, 200)
          assert.deepEqual(body, response)
          assert.deepEqual(await rows(), expected)
        }
      }),
      {
        numRuns: runs(120),
        examples: [
          [
            [{ row: 'a', place: 1 }],
            { create: [], update: [{ id: ['a', 1], guest: 'jo' }], delete: [['a', 1]] },
          ],
          [
            [{ row: 'a', place: 1 }],
            {
              create: [{ row: 'a', place: 2, guest: 'jo' }],
              update: [{ id: ['a', 1], guest: 'jo' }],
              delete: [],
            },
          ],
        ],
      }
    )
    assert.isAbove(seen.done, 0)
    assert.isAbove(seen.refused, 0)
  }).timeout(60_000)
})
