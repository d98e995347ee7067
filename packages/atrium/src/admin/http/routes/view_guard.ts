import { requestSubject } from '#crud/internals'
import type { HttpContext } from '@adonisjs/core/http'
import type { NextFn } from '@adonisjs/core/types/http'
import { NotAllowed, WithheldPage } from '../../errors.js'
import type { ModelView } from '../../model_view.js'

/**
 * Guard of a model: the admin's own are for superusers only; a model that the caller's roles do not let
 * them view respond as an unknown one. [B13, U4]
 */
export function viewGuard(view: ModelView) {
  return async (ctx: HttpContext, next: NextFn) => {
    requestSubject.set(ctx, view.resource)
    if (!view.admits(ctx)) throw new NotAllowed()
    if (!view.resource.isLoaded) await view.resource.load()
    const own = await view.for(ctx)
    if (own.isWithheld) throw new WithheldPage()
    await next()
  }
}
