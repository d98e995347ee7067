import type { Attributes, Tracer } from '@opentelemetry/api'

/* Symbol under which all copies of `@opentelemetry/api` share what the application's SDK has registered */
const REGISTERED = Symbol.for('opentelemetry.js.api.1')

let tracer: Tracer | undefined
let errorCode = 2

/**
 * Enables spans if the application has started OpenTelemetry, as `@adonisjs/otel` does. Otherwise the package is not
 * loaded.
 *
 * @returns true if spans are written
 */
export async function startTracing(): Promise<boolean> {
  if (!(REGISTERED in globalThis)) return false
  const { SpanStatusCode, trace } = await import('@opentelemetry/api')
  errorCode = SpanStatusCode.ERROR
  tracer = trace.getTracer('adonis-atrium')
  return true
}

/**
 * Runs the work in a span, if spans are enabled. A span contains no values of records, and no error messages, which can
 * contain such values.
 */
export async function traced<Result>(
  name: string,
  attributes: Attributes,
  work: () => Promise<Result>
): Promise<Result> {
  if (!tracer) return await work()
  return await tracer.startActiveSpan(name, { attributes }, async (span) => {
    try {
      return await work()
    } catch (error) {
      span.setStatus({ code: errorCode })
      span.setAttribute('error.type', (error as Error)?.name ?? 'unknown')
      throw error
    } finally {
      span.end()
    }
  })
}

type Method = (...args: unknown[]) => Promise<unknown>

/**
 * Wraps methods of a class, so that each call is a span; without spans, calls cost nothing.
 *
 * @param nameOf  returns the name of the model that the object writes or reads
 */
export function traceMethods<Instance extends object>(
  prototype: Instance,
  names: ReadonlyArray<keyof Instance & string>,
  nameOf: (instance: Instance) => string
): void {
  for (const name of names) {
    const method = prototype[name] as Method
    const wrapped: Method = async function (this: Instance, ...args) {
      const model = nameOf(this)
      const attributes = { 'atrium.model': model, 'atrium.operation': name }
      return await traced(`${model} ${name}`, attributes, () => method.apply(this, args))
    }
    Object.defineProperty(prototype, name, { value: wrapped, writable: true, configurable: true })
  }
}
