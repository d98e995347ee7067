import app from '@adonisjs/core/services/app'
import testUtils from '@adonisjs/core/services/test_utils'
import { test } from '@japa/runner'
import { DateTime } from 'luxon'
import { replyList, writeJsonPieces } from '#crud/http/preconditions'
import { responseBudgetOf } from '#crud/http/response_budget'
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

test.group('replyList()', () => {
  const LONG = 512 * 1024 + 1

  /** Returns the context of a request that has read values of this size. */
  const contextAfter = async (bytes: number, cleanup: (work: () => void) => void) => {
    const ctx = await testUtils.createHttpContext()
    const budget = responseBudgetOf(ctx)
    budget.reserveAtLeast(bytes)
    cleanup(() => budget.release())
    return { ctx, budget }
  }

  test('[A29.8] only a response of more than 512 KB of values is sent in parts', async ({
    assert,
    cleanup,
  }) => {
    for (const bytes of [LONG - 1, LONG]) {
      const { ctx } = await contextAfter(bytes, cleanup)
      await replyList(ctx, { data: [] })
      assert.equal(ctx.response.hasStream, bytes === LONG)
    }
  })

  test('[A29.7] JSON that is longer than its values counts for the memory budget', async ({
    assert,
    cleanup,
  }) => {
    for (const bytes of [1, LONG]) {
      const { ctx, budget } = await contextAfter(bytes, cleanup)
      const list = { data: ['x'.repeat(bytes + 100_000)] }
      await replyList(ctx, list)
      assert.equal(budget.reserved, JSON.stringify(list).length)
    }
  })

  test('[Q6.2] a list has no tag if its handler sets a status or sends the response itself', async ({
    assert,
    cleanup,
  }) => {
    for (const bytes of [1, LONG]) {
      const accepted = await contextAfter(bytes, cleanup)
      accepted.ctx.response.status(202)
      await replyList(accepted.ctx, { data: [] })
      const sent = await contextAfter(bytes, cleanup)
      sent.ctx.response.send('by hand')
      await replyList(sent.ctx, { data: [] })
      assert.equal(sent.ctx.response.getBody(), 'by hand')
      for (const { response } of [accepted.ctx, sent.ctx])
        assert.isUndefined(response.getHeader('etag'))
    }
  })
})
