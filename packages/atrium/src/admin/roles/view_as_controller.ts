import type { HttpContext } from '@adonisjs/core/http'
import type { Site } from '../views/site.js'
import type { WithSessions } from '../authentication/sessions/session_manager.js'
import { PageNotFound } from '../http/errors.js'
import { EventType } from '../events/event_integration.js'
import AdminRole from '../models/admin_role.js'
import type { ModelView } from '../views/model_view.js'
import { viewedRoleOf } from '../permissions/view_as_guard.js'
import { guardOf } from '../identity/admin_guard.js'
import { redirect } from '../http/redirect.js'

/** Lets a superuser view the site as a role, until the session ends or the superuser stops. */
export class ViewAsController {
  /** @param view  the view of the model `AdminRole` */
  constructor(
    private readonly site: Site & WithSessions,
    private readonly view: ModelView
  ) {}

  async start(ctx: HttpContext): Promise<void> {
    const key = this.view.resource.key.fromParams(ctx.params)
    const role = (await this.view.crud.find(key, this.view.callOptions(ctx))) as AdminRole | null
    if (!role) throw new PageNotFound()
    await this.#set(ctx, role.id)
    this.#log(ctx, role.id, 'view_as')
    redirect(ctx, this.site.url('/'))
  }

  async stop(ctx: HttpContext): Promise<void> {
    const id = viewedRoleOf(ctx)
    await this.#set(ctx, null)
    if (id !== undefined) this.#log(ctx, id, 'view_as_stop')
    const role = id === undefined ? null : await AdminRole.find(id)
    redirect(ctx, role ? this.view.url(`/update/${role.id}`) : this.site.url('/'))
  }

  #log(ctx: HttpContext, roleId: number, page: 'view_as' | 'view_as_stop') {
    this.site.logEvent(ctx, {
      type: EventType.VIEW,
      resourceType: this.view.name,
      resourceId: String(roleId),
      details: { page },
    })
  }

  async #set(ctx: HttpContext, roleId: number | null) {
    const { session } = guardOf(ctx).signedInOrFail()
    await this.site.sessionManager.viewAs(session, roleId)
  }
}
