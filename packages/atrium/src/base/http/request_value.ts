import type { HttpContext } from '@adonisjs/core/http'

/**
 * A value that belongs to a request, stored on its context. A `WeakMap` of contexts would keep the value alive until
 * the next full garbage collection, and with it all that the value refers to: V8's quick collections treat the
 * values of a long-lived map as reachable.
 */
export class RequestValue<Value> {
  readonly #name: symbol

  /** @param name  for debuggers */
  constructor(name: string) {
    this.#name = Symbol(name)
  }

  get(ctx: HttpContext): Value | undefined {
    return (ctx as any)[this.#name]
  }

  set(ctx: HttpContext, value: Value): void {
    ;(ctx as any)[this.#name] = value
  }

  delete(ctx: HttpContext): void {
    this.set(ctx, undefined as Value)
  }
}
