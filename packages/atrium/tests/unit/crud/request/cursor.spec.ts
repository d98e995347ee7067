import { test } from '@japa/runner'
import fc from 'fast-check'
import { resources } from '#crud'
import { readCursor, writeCursor, type CursorList } from '#crud/request/cursor'
import { ListRequest } from '#crud/request/list_request'
import { defineConfig } from '#crud/define_config'
import { ANY_CHARACTER } from '#tests/helpers/any_character'

const { pagination } = defineConfig()

function at(path: string) {
  return resources.endpoints().find((one) => one.path === `/api/${path}`)!.resource
}

function listOf(query: Parameters<typeof ListRequest.fromCode>[1] = {}): CursorList {
  return ListRequest.fromCode(at('specimens'), query, pagination)
}

test.group('Cursors of lists', () => {
  test('[Q4] a cursor preserves every value of a driver exactly', ({ assert }) => {
    const value = fc.oneof(
      fc.constant(null),
      fc.string({ unit: ANY_CHARACTER }),
      fc.double(),
      fc.integer(),
      fc.boolean(),
      fc.uint8Array().map((bytes) => Buffer.from(bytes))
    )
    fc.assert(
      fc.property(fc.array(value, { maxLength: 5 }), (position) => {
        const cursor = writeCursor(at('specimens'), listOf(), position)
        assert.match(cursor, /^[\w.-]+$/)
        const read = readCursor(at('specimens'), listOf(), cursor)
        /* JSON and databases have no negative zero. */
        const plain = position.map((one) => (Object.is(one, -0) ? 0 : one))
        assert.deepEqual(read, plain)
      })
    )
  })

  test('[Q4] the same position in a list has the same cursor', ({ assert }) => {
    const write = (position: unknown[]) => writeCursor(at('specimens'), listOf(), position)
    assert.equal(write(['a', 1]), write(['a', 1]))
    assert.notEqual(write(['a', 1]), write(['a', '1']))
  })

  test('[Q4] a cursor stays valid if the filters are in another order', ({ assert }) => {
    const cursor = writeCursor(
      at('specimens'),
      listOf({ filters: { amount: 1, label: 'a' }, sort: 'label' }),
      ['a', 1]
    )
    const other = listOf({ filters: { label: 'a', amount: 1 }, sort: 'label,id' })
    assert.deepEqual(readCursor(at('specimens'), other, cursor), ['a', 1])
  })

  test('[Q4] a cursor of another list is refused: {$i}')
    .with([
      { sort: '-label' },
      { sort: 'label,amount' },
      { filters: { label__like: 'a_' } },
      { filters: { label__like: 'a%' }, deleted: 'only' as const },
      { filters: { label__like: 'a%', amount__in: [1, 2] } },
      { filters: { label__like: 'a%', amount: null } },
    ])
    .run(({ assert }, query) => {
      const made = listOf({ filters: { label__like: 'a%' } })
      const cursor = writeCursor(at('specimens'), made, ['a', 1])
      assert.throws(() => readCursor(at('specimens'), listOf(query), cursor), /next_cursor/)
      assert.throws(() => readCursor(at('letters'), made, cursor), /next_cursor/)
    })
})
