/*
 * @adonisjs/auth 10.1.0: its middleware shares `auth` with templates by making a renderer for each request,
 * which for a response without a template takes as long as to read its item. Here it is shared where a
 * request first asks for `view`, by wrapping the accessor that AdonisJS's Edge provider has put on
 * HttpContext. No issue known. It can go when the test "the middleware of AdonisJS still makes a renderer for
 * each request" fails.
 */
import { HttpContext } from '@adonisjs/core/http'
import { expectGround } from './expect_ground.js'

let sharing: (() => unknown) | undefined

/** @throws Exception  when AdonisJS creates the renderer of a request differently */
export function checkGround(context: object = HttpContext.prototype): void {
  const view = Object.getOwnPropertyDescriptor(context, 'view')
  expectGround('@adonisjs/core', 'auth_renderer', {
    'the accessor HttpContext#view': view === undefined || typeof view.get === 'function',
  })
}

/**
 * Shares a request's `auth` with its renderer. Defined once on the prototype, as an accessor on each
 * request would keep it, and everything it refers to, until the old generation is collected.
 */
export function shareAuthWhereRendered(): void {
  const make = Object.getOwnPropertyDescriptor(HttpContext.prototype, 'view')?.get
  if (!make || make === sharing) return
  HttpContext.getter('view', function (this: HttpContext) {
    /* From now on the request has its own renderer. */
    const view = make.call(this)
    if ('auth' in this) view.share({ auth: this.auth })
    return view
  })
  sharing = Object.getOwnPropertyDescriptor(HttpContext.prototype, 'view')!.get
}
