import { test } from '@japa/runner'
import fc from 'fast-check'
import { AdminUser } from '#admin'
import { systemActor } from '#crud'
import { fingerprintOf, identityOf } from '#base/identity'
import { strange } from '#tests/helpers/actors'

const body = fc.dictionary(fc.string(), fc.jsonValue())

/** The same value with the fields of every object in reverse order. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).toReversed()
  return Object.fromEntries(entries.map(([name, inner]) => [name, reversed(inner)]))
}

test.group('fingerprintOf()', () => {
  test('[Q7] the order of fields does not change the fingerprint', ({ assert }) => {
    fc.assert(
      fc.property(body, (fields) => {
        const other = reversed(fields) as Record<string, unknown>
        assert.equal(fingerprintOf(other), fingerprintOf(fields))
      })
    )
  })

  test('[Q7] a change of any value, or of the order of a list, changes the fingerprint', ({
    assert,
  }) => {
    fc.assert(
      fc.property(body, body, (one, other) => {
        const isSame = JSON.stringify(one) === JSON.stringify(other)
        fc.pre(isSame || JSON.stringify(one) !== JSON.stringify(reversed(other)))
        if (!isSame) assert.notEqual(fingerprintOf({ one }), fingerprintOf({ other }))
        assert.notEqual(fingerprintOf({ ...one, added: 1 }), fingerprintOf({ ...one, added: '1' }))
      })
    )
    const bodies = [
      { a: [1, 2] },
      { a: [2, 1] },
      { a: { b: 1 } },
      { a: 1, b: 1 },
      { a: 1n },
      { a: '1' },
      {},
    ]
    assert.equal(new Set(bodies.map(fingerprintOf)).size, bodies.length)
    assert.notEqual(fingerprintOf({ a: 2n ** 63n }), fingerprintOf({ a: 2n ** 63n + 1n }))
  })
})

test.group('identityOf()', () => {
  const user = (id: number) => new AdminUser().fill({ id })

  test('[Q7] the same actor has the same identity in another request', ({ assert }) => {
    for (const make of [
      () => ({ kind: 'none' as const }),
      () => strange({ kind: 'token', user: 'ann' }),
      () => strange({ kind: 'token', user: user(1), token: Math.random() }),
      () => strange({ kind: 'token', token: { identifier: 5n } }),
    ]) {
      assert.isDefined(identityOf(make()))
      assert.deepEqual(identityOf(make()), identityOf(make()))
    }
  })

  test('[Q7] different actors have different identities', ({ assert }) => {
    const actors = [
      { kind: 'none' as const },
      strange({ kind: 'token', user: 'ann' }),
      strange({ kind: 'token', user: 'none' }),
      { kind: 'token' as const, user: user(1) },
      { kind: 'admin' as const, user: user(1) },
      { kind: 'token' as const, user: user(2) },
      strange({ kind: 'token', user: { id: 1 } }),
      systemActor('ann'),
      systemActor('none'),
    ]
    assert.equal(new Set(actors.map((one) => JSON.stringify(identityOf(one)))).size, actors.length)
  })

  test('[Q7] an actor without a permanent identity has no identity', ({ assert }) => {
    assert.isUndefined(identityOf({ kind: 'token' }))
    assert.isUndefined(identityOf(strange({ kind: 'token', user: { name: 'ann' } })))
  })
})
