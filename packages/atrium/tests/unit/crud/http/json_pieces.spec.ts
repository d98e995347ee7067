import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'
import { DateTime } from 'luxon'
import { writeJsonPieces } from '#crud/http/preconditions'
import { weakTag } from '#base/http/etag'

const textOf = (pieces: Buffer[]) => Buffer.concat(pieces).toString()

test.group('writeJsonPieces()', () => {
  test('[Q6] the pieces of a JSON text add up to the whole text, and yield its entity tag', async ({
    assert,
  }) => {
    const long = 'ä"\n😀'.repeat(100_000)
    const values = [
      { data: [], total_count: 0 },
      { data: [{ id: 1, tags: [] }], has_more: false, next_cursor: null },
      {
        data: [
          {
            id: 1,
            text: long,
            none: undefined,
            sign: Symbol('x'),
            work: () => 1,
            at: DateTime.fromMillis(0),
            tags: [1, [2], null],
          },
          { id: 2, text: null, included: [{ id: 3, deep: [{ deeper: [[undefined]] }] }] },
        ],
      },
      { id: 1, included: Array.from({ length: 500 }, (_, id) => ({ id, text: 'x'.repeat(2000) })) },
      [1, undefined, 'a'],
      'text',
      null,
    ]
    for (const value of values) {
      const { pieces, bytes, digest } = await writeJsonPieces(value)
      const json = JSON.stringify(value)
      assert.equal(textOf(pieces), json)
      assert.equal(bytes, Buffer.byteLength(json))
      assert.equal(digest.weakTag, weakTag(json))
    }
  })

  test('[A29] other requests can run between the pieces', async ({ assert }) => {
    let turns = 0
    const timer = setInterval(() => turns++, 0)
    const data = Array.from({ length: 40 }, () => ({ text: '\u0001'.repeat(100_000) }))
    const { pieces } = await writeJsonPieces({ data })
    clearInterval(timer)
    assert.isAbove(pieces.length, 20)
    assert.isAbove(turns, 1)
  })

  test('[A29] JSON that is much longer than its estimate is refused', async ({
    assert,
    cleanup,
  }) => {
    const config = app.config.get<{ limits: object }>('crud')
    app.config.set('crud', { ...config, limits: { ...config.limits, response: 100_000 } })
    cleanup(() => app.config.set('crud', config))
    /* Escapes can double the length of values. */
    const most = 200_000 - JSON.stringify([{ text: '' }]).length
    const { bytes } = await writeJsonPieces([{ text: 'x'.repeat(most) }])
    assert.equal(bytes, 200_000)
    await assert.rejects(
      () => writeJsonPieces([{ text: 'x'.repeat(most + 1) }]),
      /larger than 100000 bytes/
    )
  })
})
