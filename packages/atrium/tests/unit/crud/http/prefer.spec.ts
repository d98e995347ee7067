import { HttpContextFactory } from '@adonisjs/core/factories/http'
import { test } from '@japa/runner'
import { preferredReturn } from '#crud/http/reply'

function preferring(header: string | undefined) {
  const ctx = new HttpContextFactory().create()
  ctx.request.request.headers.prefer = header
  return preferredReturn(ctx)
}

test.group('preferredReturn()', () => {
  test('[A3] the first return preference of the header applies: {0}')
    .with([
      ['return=representation', 'representation'],
      ['return=minimal', 'minimal'],
      ['Return = "Minimal"', 'minimal'],
      ['respond-async, return=representation; foo=bar', 'representation'],
      ['return=minimal, return=representation', 'minimal'],
    ] as const)
    .run(({ assert }, [header, wanted]) => {
      assert.equal(preferring(header), wanted)
    })

  test('[A3] preferences other than return are ignored')
    .with([undefined, '', 'return', 'return=', 'return=all', 'xreturn=minimal', 'return=minimal x'])
    .run(({ assert }, header) => {
      assert.isUndefined(preferring(header))
    })
})
