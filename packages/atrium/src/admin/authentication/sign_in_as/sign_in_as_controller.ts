import type { HttpContext } from '@adonisjs/core/http'
import type { Site } from '../../views/site.js'
import type { WithSessions } from '../sessions/session_manager.js'
import { NotAllowed, PageNotFound } from '../../http/errors.js'
import { EventType } from '../../events/event_integration.js'
import type { ModelView } from '../../views/model_view.js'
import type AdminUser from '../../models/admin_user.js'
import { requireProof } from '../../identity/proof.js'
import { guardOf } from '../../identity/admin_guard.js'
import { redirect } from '../../http/redirect.js'

/**
 * Signs a superuser in as another user, for an hour or until the superuser stops it. The superuser's session continues;
 * if it ends, the user is signed out.
 */
export class SignInAsController {
  /** @param view  view of the model of admin users */
  constructor(
    private readonly site: Site & WithSessions,
    private readonly view: ModelView
  ) {}

  /**
   * @throws NotAllowed  if the user is a superuser, or the signed-in user is not one
   * @throws ReauthenticationRequired
   */
  async start(ctx: HttpContext): Promise<void> {
    const { owner, session } = guardOf(ctx).signedInOrFail()
    requireProof(ctx)
    const key = this.view.resource.key.fromParams(ctx.params)
    const user = (await this.view.crud.find(key, this.view.callOptions(ctx))) as AdminUser | null
    if (!user) throw new PageNotFound()
    if (user.isSuperuser || !owner.isSuperuser) throw new NotAllowed()
    requireProof(ctx, this.view.url(`/update/${user.id}`))
    const actsAs = { userId: user.id, by: { id: owner.id, username: owner.username } }
    await this.site.sessionManager.actAs(session, { ...actsAs, since: Date.now() })
    this.#log(ctx, user.id, 'sign_in_as')
    redirect(ctx, this.site.url('/'))
  }

  async stop(ctx: HttpContext): Promise<void> {
    const { acting, owner, session } = guardOf(ctx).signedInOrFail()
    if (!acting) return redirect(ctx, this.site.url('/'))
    await this.site.sessionManager.actAs(session, null)
    this.#log(ctx, owner.id, 'sign_in_as_stop')
    redirect(ctx, this.view.url(`/update/${owner.id}`))
  }

  #log(ctx: HttpContext, userId: number, page: 'sign_in_as' | 'sign_in_as_stop') {
    this.site.logEvent(ctx, {
      type: EventType.VIEW,
      resourceType: this.view.name,
      resourceId: String(userId),
      details: { page },
    })
  }
}
