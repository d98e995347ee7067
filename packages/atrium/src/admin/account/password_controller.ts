import type { HttpContext } from '@adonisjs/core/http'
import { ValueError } from '#crud'
import type { AdminSite } from '../admin_site.js'
import { adminActor, adminOrigin } from '../authentication/admin_actor.js'
import { hasPassword } from '../authentication/passwords/password_rules.js'
import { PasswordCheck } from '../authentication/passwords/password_check.js'
import { replacePassword } from '../authentication/passwords/replace_password.js'
import { NotAllowed } from '../errors.js'
import { flashToNextPage } from '../http/flash.js'
import { exactText, sentTexts } from '../http/form_texts.js'
import { accountPage, type PasswordField } from './account_page.js'
import { guardOf } from '../authentication/sessions/admin_guard.js'

type Faults = Partial<Record<PasswordField, string>>

/**
 * Changes the signed-in user's own password, for who knows the current one. [U7, U13]
 */
export class PasswordController {
  readonly #check: PasswordCheck

  constructor(private readonly site: AdminSite) {
    this.#check = new PasswordCheck(site)
  }

  /**
   * The other sessions end; this one goes on with another id and token. The current password is required first:
   * nothing else is said to who does not know it.
   *
   * @throws NotAllowed  for a user who has no password: a superuser makes a link for them [U12]
   */
  async change(ctx: HttpContext): Promise<unknown> {
    const { site } = this
    const signedIn = guardOf(ctx).signedInOrFail()
    const { user } = signedIn.owner
    if (!hasPassword(user)) throw new NotAllowed()
    const texts = sentTexts(ctx)
    const [present, password, again] = (
      ['current_password', 'password', 'password_again'] as const
    ).map((name) => exactText(texts, name) ?? '')

    const answer = await this.#check.check(ctx, user, present)
    if (!answer.isRight) {
      if (answer.wait) ctx.response.header('retry-after', String(answer.wait))
      const { wait, status } = answer
      return await this.#refuse(ctx, status, {
        current_password: site.text(wait ? 'login.throttled' : 'account.password.wrong', {
          minutes: Math.ceil((wait ?? 0) / 60),
        }),
      })
    }
    if (password !== again) {
      return await this.#refuse(ctx, 422, { password_again: site.text('passwords.differ') })
    }
    let hashed: string
    try {
      hashed = await site.adminUserService.hashPassword(password, user)
    } catch (error) {
      if (!(error instanceof ValueError)) throw error
      return await this.#refuse(ctx, 422, { password: error.message })
    }
    const kept = signedIn.session
    const actor = adminActor(ctx)
    await replacePassword(site, user.id, hashed, { actor, origin: adminOrigin(ctx), kept })
    await site.adminAuthentication.renew(ctx, signedIn)
    await flashToNextPage(ctx, { kind: 'success', text: site.text('account.password.changed') })
    ctx.response.status(303).header('location', site.url('/account')).send('')
  }

  async #refuse(ctx: HttpContext, status: number, passwordFaults: Faults): Promise<string> {
    ctx.response.status(status)
    return await accountPage(this.site, ctx, { passwordFaults })
  }
}
