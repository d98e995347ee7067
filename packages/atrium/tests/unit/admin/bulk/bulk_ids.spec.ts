import { test } from '@japa/runner'
import fc from 'fast-check'
import { idOfPath, readIds } from '#admin/bulk/bulk_ids'
import type { Column } from '#base/columns/column'
import { Key } from '#base/columns/key'
import { BulkFailure } from '#admin/bulk/errors'
import { ANY_CHARACTER } from '#tests/helpers/any_character'

function keyOf(...kinds: Array<Column['kind']>) {
  return new Key(
    kinds.map((kind) => ({ kind, isSpecial: (_: unknown) => false }) as Column),
    'things'
  )
}

const INTEGER = keyOf('integer')
const TEXT = keyOf('text')
const UUID = '0b7dc3c1-94a9-4a3b-8f1e-3f7c1c7e2a10'

/** Message for an invalid id. */
function refusal(read: () => unknown): unknown {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof BulkFailure)) throw error
    return { status: error.status, key: error.key, ...error.data }
  }
}

test.group('Bulk ids', () => {
  test('[S51, B20] the id {id} of a {kind} key is parsed as {key}')
    .with([
      { kind: 'integer', id: 5, key: 5 },
      { kind: 'integer', id: -1, key: -1 },
      { kind: 'integer', id: '5', key: 5 },
      { kind: 'integer', id: 9007199254740993n, key: '9007199254740993' },
      { kind: 'integer', id: '9007199254740993', key: '9007199254740993' },
      { kind: 'number', id: 1.5, key: 1.5 },
      { kind: 'number', id: '1.50', key: 1.5 },
      { kind: 'number', id: 2n ** 53n, key: 2 ** 53 },
      { kind: 'text', id: 'a/b ?%', key: 'a/b ?%' },
      { kind: 'text', id: ' 1 ', key: ' 1 ' },
      { kind: 'text', id: 7, key: '7' },
      { kind: 'text', id: 9007199254740993n, key: '9007199254740993' },
      { kind: 'uuid', id: UUID.toUpperCase(), key: UUID },
      { kind: 'boolean', id: true, key: true },
      { kind: 'boolean', id: 'false', key: false },
      { kind: 'date', id: '2026-11-23', key: '2026-11-23' },
    ] as Array<{ kind: Column['kind']; id: unknown; key: unknown }>)
    .run(({ assert }, { kind, id, key }) => {
      assert.deepEqual(readIds(keyOf(kind), [id]), [[key]])
    })

  test('[S51, B19] the invalid {kind} key {shown} is refused, and the error contains it')
    .with(
      (
        [
          ['integer', 1.7, '1.7'],
          ['integer', true, 'true'],
          ['integer', null, 'null'],
          ['integer', '1e3', '1e3'],
          ['integer', '0x10', '0x10'],
          ['integer', ' 1', ' 1'],
          ['integer', '01', '01'],
          ['integer', '', ''],
          ['integer', [5], '[5]'],
          ['integer', { id: 5 }, '{"id":5}'],
          ['integer', { id: 9007199254740993n }, '{"id":"9007199254740993"}'],
          ['integer', 1e300, '1e+300'],
          ['integer', 2n ** 64n, '18446744073709551616'],
          ['number', 'NaN', 'NaN'],
          ['number', 'Infinity', 'Infinity'],
          ['number', 10n ** 400n, `1${'0'.repeat(79)}…`],
          ['number', false, 'false'],
          ['text', true, 'true'],
          ['text', ['a'], '["a"]'],
          ['text', null, 'null'],
          ['text', 'a\0b', 'a\uFFFDb'],
          ['text', '\uD800', '\uFFFD'],
          ['uuid', 'x', 'x'],
          ['uuid', 5, '5'],
          ['date', '2026-02-30', '2026-02-30'],
          ['boolean', 1, '1'],
          ['json', '{}', '{}'],
        ] as const
      ).map(([kind, id, shown]) => ({ kind, id: id as unknown, shown }))
    )
    .run(({ assert }, { kind, id, shown }) => {
      assert.deepEqual(
        refusal(() => readIds(keyOf(kind), [id])),
        { status: 422, key: 'bulk.invalidId', id: shown }
      )
    })

  test('[A9] a composite key must be an array of its parts', ({ assert }) => {
    const key = keyOf('integer', 'text')
    assert.deepEqual(
      readIds(key, [
        [1, 'a'],
        ['2', 'b/c'],
      ]),
      [
        [1, 'a'],
        [2, 'b/c'],
      ]
    )
    for (const id of [
      1,
      '1',
      [],
      [1],
      [1, 'a', 'b'],
      [1, null],
      ['x', 'a'],
      [[1], 'a'],
      { 0: 1 },
    ]) {
      assert.propertyVal(
        refusal(() => readIds(key, [id])),
        'key',
        'bulk.invalidId'
      )
    }
  })

  test('[B20] an id that occurs twice in a request counts once, in any notation', ({ assert }) => {
    assert.deepEqual(readIds(INTEGER, [1, '1', 2, 1n, 1]), [[1], [2]])
    assert.deepEqual(readIds(TEXT, ['1', 1, 'a', 'A']), [['1'], ['a'], ['A']])
    assert.lengthOf(
      readIds(keyOf('text', 'text'), [
        ['a', 'b,c'],
        ['a,b', 'c'],
      ]),
      2
    )
    assert.lengthOf(readIds(keyOf('uuid'), [UUID, UUID.toUpperCase()]), 1)
  })

  test('[B20] at most a thousand ids are accepted, and the error for more contains their number', ({
    assert,
  }) => {
    const ids = Array.from({ length: 1001 }, (_, index) => index)
    assert.lengthOf(readIds(INTEGER, [...ids.slice(1), 1000]), 1000)
    assert.deepEqual(
      refusal(() => readIds(INTEGER, ids)),
      { status: 422, key: 'bulk.tooMany', most: 1000, count: 1001 }
    )
  })

  test('[B20] ids in a bulk request preserve all digits of a 64-bit integer', ({ assert }) => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), (integer) => {
        const [[fromText]] = readIds(INTEGER, [String(integer)])
        const [[fromBigInt]] = readIds(INTEGER, [integer])
        assert.equal(String(fromText), String(integer))
        assert.strictEqual(fromBigInt, fromText)
      })
    )
  })

  test('[S51, B20] any JSON value other than an integer is refused for an integer key', ({
    assert,
  }) => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const outcome = refusal(() => readIds(INTEGER, [value]))
        if (Array.isArray(outcome)) assert.match(String(outcome[0][0]), /^-?\d+$/)
        else assert.propertyVal(outcome, 'status', 422)
      })
    )
  })

  test('[B19] an id in a message is shortened to one line', ({ assert }) => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: ANY_CHARACTER }), fc.jsonValue()), (value) => {
        const outcome = refusal(() => readIds(INTEGER, [value])) as { id?: string }
        if (outcome.id === undefined) return
        assert.isAtMost([...outcome.id].length, 81)
        assert.notMatch(outcome.id, /[\p{Cc}\u2028\u2029\u202A-\u202E\u2066-\u2069]/u)
        assert.isTrue(outcome.id.isWellFormed())
      })
    )
  })

  test('[B24] an id in a form is parsed in the same way as the path of a record', ({ assert }) => {
    assert.equal(idOfPath('42'), '42')
    assert.deepEqual(idOfPath('7/a%2Fb'), ['7', 'a/b'])
    assert.equal(idOfPath('a%2Fb%25%3F%20'), 'a/b%? ')
    assert.equal(idOfPath('%zz'), '%zz')
    assert.deepEqual(idOfPath('/'), ['', ''])
  })

  test('[A9] any key is unchanged when it is written as a path and parsed again', ({ assert }) => {
    const key = keyOf('integer', 'text')
    /* `encodeURIComponent` refuses lone surrogates, and no database stores them. */
    const text = fc.string({ unit: 'grapheme' }).filter((one) => !one.includes('\0'))
    fc.assert(
      fc.property(fc.maxSafeInteger(), text, (number, word) => {
        const path = key.toPath([number, word]).slice(1)
        assert.deepEqual(readIds(key, [idOfPath(path)]), [[number === 0 ? 0 : number, word]])
      })
    )
  })
})
