import { test } from '@japa/runner'
import fc from 'fast-check'
import { creationsInOrder } from '#admin/undo/undo_event'
import type { UndoStep } from '#admin/undo/undo_plan'
import { runs } from '#tests/helpers/random_runs'

const foreignKeys = [{ columns: ['parent_id'], table: 'nodes', references: ['id'] }]

/** A record that comes back, below another one of the same table. */
function node(id: number, parent: number | null): UndoStep {
  const target = { name: 'Node', resource: { table: 'nodes', foreignKeys } }
  const reversal = { before: { id, parent_id: parent }, left: null }
  return { operation: 'create', key: [id], reversal, target } as unknown as UndoStep
}

const idsOf = (order: ReturnType<typeof creationsInOrder>) => order.map(({ step }) => step.key[0])

test.group('Undo | order of records', () => {
  test('[R7] a record is restored after the one that it refers to', ({ assert }) => {
    const order = creationsInOrder([node(1, 2), node(2, 3), node(3, null), node(4, 4)])
    assert.deepEqual(idsOf(order), [3, 2, 1, 4])
    assert.isTrue(order.every(({ postponed }) => postponed.size === 0))
  })

  test('[R7] if records refer to each other, one of the references is written later', ({
    assert,
  }) => {
    const order = creationsInOrder([node(1, 2), node(2, 1)])
    assert.deepEqual(idsOf(order), [2, 1])
    assert.deepEqual(
      order.map(({ postponed }) => [...postponed]),
      [['parent_id'], []]
    )
  })

  test('[R7] a chain of very many records is sorted', ({ assert }) => {
    const chain = Array.from({ length: 20_000 }, (_, id) => node(id, id + 1))
    assert.equal(idsOf(creationsInOrder(chain))[0], 19_999)
  })

  test('[R7] in the order, each record occurs once and after all records that it refers to', ({
    assert,
  }) => {
    const parents = fc.array(fc.option(fc.nat(9)), { maxLength: 10 })
    fc.assert(
      fc.property(parents, (some) => {
        const order = creationsInOrder(some.map((parent, id) => node(id, parent)))
        assert.lengthOf(new Set(idsOf(order)), some.length)
        const there = new Set<unknown>()
        for (const { step, postponed } of order) {
          const { id, parent_id: parent } = step.reversal.before as Record<string, number>
          there.add(id)
          const isKnown = parent !== null && parent < some.length
          if (isKnown && postponed.size === 0) assert.isTrue(there.has(parent))
        }
      }),
      { numRuns: runs(400) }
    )
  })
})
