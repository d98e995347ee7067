import type { HttpContext } from '@adonisjs/core/http'

/**
 * A value of a request, stored on its context. A `WeakMap` of contexts would keep the value, and everything that it
 * refers to, in memory until the next full garbage collection: V8's minor collections treat the values of a long-lived
 * map as reachable.
 */
export class RequestValue<Value> {
  readonly #name: symbol

  /** @param name  name for debuggers */
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
