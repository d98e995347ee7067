import { context, trace, type Span, type Tracer } from '@opentelemetry/api'
import { test } from '@japa/runner'
import { startTracing, traced, traceMethods } from '#base/tracing'

interface Recorded {
  name: string
  attributes: Record<string, unknown>
  failed: boolean
  ended: boolean
}

/** Registers a tracer that records its spans, as an SDK does. */
function recordSpans(cleanup: (undo: () => void) => void): Recorded[] {
  const spans: Recorded[] = []
  const startActiveSpan = (name: string, { attributes }: any, work: (span: Span) => unknown) => {
    const one = { name, attributes: { ...attributes }, failed: false, ended: false }
    spans.push(one)
    return work({
      end: () => (one.ended = true),
      setStatus: () => (one.failed = true),
      setAttribute: (key: string, value: unknown) => (one.attributes[key] = value),
    } as unknown as Span)
  }
  const tracer = { startActiveSpan } as unknown as Tracer
  trace.setGlobalTracerProvider({ getTracer: () => tracer })
  cleanup(() => {
    trace.disable()
    context.disable()
  })
  return spans
}

class Shelf {
  name = 'Shelf'
  async put(book: string) {
    if (book === '') throw new RangeError('An empty secret')
    return `${this.name} has ${book}`
  }
}

test.group('Tracing', () => {
  test('[W6] traced work runs without spans unless OpenTelemetry was started', async ({
    assert,
  }) => {
    assert.isFalse(await startTracing())
    assert.equal(await traced('a', {}, async () => 1), 1)
  })

  test('[W6] each operation is a span that contains no values of records and no error messages', async ({
    assert,
    cleanup,
  }) => {
    const spans = recordSpans(cleanup)
    assert.isTrue(await startTracing())
    traceMethods(Shelf.prototype, ['put'], ({ name }) => name)
    assert.equal(await new Shelf().put('a book'), 'Shelf has a book')
    await assert.rejects(() => new Shelf().put(''), 'An empty secret')
    const attributes = { 'atrium.model': 'Shelf', 'atrium.operation': 'put' }
    assert.deepEqual(spans, [
      { name: 'Shelf put', attributes, failed: false, ended: true },
      {
        name: 'Shelf put',
        attributes: { ...attributes, 'error.type': 'RangeError' },
        failed: true,
        ended: true,
      },
    ])
  })
})
