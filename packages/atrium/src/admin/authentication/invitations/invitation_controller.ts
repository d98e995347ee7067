import type { HttpContext } from '@adonisjs/core/http'
import type { DateTime } from 'luxon'
import { counters } from '#base/counters'
import { networkOf } from '#base/http/network'
import { ValueError } from '#crud'
import { inTransaction } from '#base/database/transaction'
import type { AdminConfig } from '../../config/define_config.js'
import { Exception } from '@adonisjs/core/exceptions'
import { PageNotFound } from '../../http/errors.js'
import type { Site } from '../../views/site.js'
import type { WithAuthentication } from '../admin_authentication.js'
import type { WithUsers } from '../admin_user_service.js'
import type { WithDatabase } from '../../config/database_config.js'
import { userActor, adminOrigin } from '../../identity/admin_actor.js'
import { strengthData } from '../../forms/fields/widgets/new_password_widget.js'
import { replacePassword, type PasswordSite } from '../passwords/replace_password.js'
import { exactText, sentTexts } from '../../http/form_texts.js'
import type AdminInvitation from '../../models/admin_invitation.js'
import AdminUser from '../../models/admin_user.js'
import { hasPassword } from '../passwords/password_rules.js'
import { EventType } from '../../events/event_integration.js'
import { canMail, sendMail } from '../../notices/notices.js'
import { momentOf } from '../../time/local_time.js'
import type { ModelView } from '../../views/model_view.js'
import { requireProof } from '../../identity/proof.js'
import { INVITATION_HOURS, type WithInvitations } from './invitations.js'
import { redirect } from '../../http/redirect.js'

/**
 * Limits how many invalid links an address can try, across all processes. The limit is that of the failed logins of an
 * address.
 */
class InvitationThrottle {
  constructor(
    private readonly config: Pick<AdminConfig['login'], 'attemptsPerAddress' | 'withinMinutes'>
  ) {}

  /**
   * @throws TooManyAttempts
   */
  async admit(ctx: HttpContext): Promise<void> {
    const wait = await this.#limiter().availableIn(keyOf(ctx))
    if (wait <= 0) return
    ctx.response.header('retry-after', String(wait))
    throw new TooManyAttempts()
  }

  /** Counts an invalid link. */
  async miss(ctx: HttpContext): Promise<void> {
    await this.#limiter().increment(keyOf(ctx))
  }

  #limiter() {
    const { attemptsPerAddress: requests, withinMinutes } = this.config
    return counters().use({ requests, duration: `${withinMinutes} mins` })
  }
}

function keyOf({ request }: HttpContext): string {
  return `invitation-address:${networkOf(request.ip())}`
}

type Errors = Partial<Record<'password' | 'password_again', string>>

interface Invited {
  invitation: AdminInvitation
  user: AdminUser
}

/** The link was used or replaced after it was read. */
class LinkGone extends Error {}

/**
 * Page of a one-time link, where a user chooses a password. The page is public, so every invalid link gets the same
 * response.
 */
export class InvitationController {
  readonly #throttle: InvitationThrottle

  constructor(private readonly site: Site & PasswordSite & WithAuthentication & WithUsers) {
    this.#throttle = new InvitationThrottle(site.adminAuthentication.throttle.config)
  }

  /** Shows the form without changing anything, because mail scanners also open links. */
  async show(ctx: HttpContext): Promise<string> {
    hideUrl(ctx)
    const found = await this.#find(ctx)
    return found ? await this.#form(ctx, found) : await this.#gone(ctx)
  }

  /** Sets the password and redirects to the login, which still requires the user's second factor, if there is one. */
  async submit(ctx: HttpContext): Promise<unknown> {
    hideUrl(ctx)
    const found = await this.#find(ctx)
    if (!found) return await this.#gone(ctx)
    const { invitation, user } = found
    const texts = sentTexts(ctx)
    const password = exactText(texts, 'password') ?? ''
    if (password !== (exactText(texts, 'password_again') ?? '')) {
      return await this.#form(ctx, found, { password_again: this.site.text('passwords.differ') })
    }
    let hashed: string
    try {
      hashed = await this.site.adminUserService.hashPassword(password, user)
    } catch (error) {
      if (!(error instanceof ValueError)) throw error
      return await this.#form(ctx, found, { password: error.message })
    }
    try {
      const actor = userActor(user)
      const origin = adminOrigin(ctx)
      const ended = await replacePassword(this.site, user.id, hashed, { actor, origin }, (client) =>
        this.#use(invitation, client)
      )
      if (ended === null) return await this.#gone(ctx)
    } catch (error) {
      if (!(error instanceof LinkGone)) throw error
      return await this.#gone(ctx)
    }
    ctx.logger.info({ username: user.username }, 'A password was chosen by a link')
    const login = `${this.site.url('/login')}?done=password`
    redirect(ctx, login)
  }

  async #use(invitation: AdminInvitation, client: Parameters<typeof this.site.invitations.use>[1]) {
    if (!(await this.site.invitations.use(invitation, client))) throw new LinkGone()
  }

  async #find(ctx: HttpContext): Promise<Invited | null> {
    await this.#throttle.admit(ctx)
    const invitation = await this.site.invitations.find(ctx.params.token)
    const user = invitation && (await AdminUser.find(invitation.userId))
    if (user) return { invitation, user }
    await this.#throttle.miss(ctx)
    return null
  }

  async #form(ctx: HttpContext, { user }: Invited, errors: Errors = {}): Promise<string> {
    if (Object.keys(errors).length > 0) ctx.response.status(422)
    return await this.site.render(ctx, 'pages/invitation', {
      username: user.username,
      isNew: !hasPassword(user),
      action: this.site.url(`/invitation/${ctx.params.token}`),
      strength: strengthData(this.site, user.username),
      errors,
    })
  }

  async #gone(ctx: HttpContext): Promise<string> {
    ctx.response.status(410)
    return await this.site.render(ctx, 'pages/invitation_gone')
  }
}

/**
 * Hides the URL, which is a secret: the `Referer` header contains at most the origin. Without the origin, browsers
 * would send the form as if it came from an unknown site.
 */
function hideUrl({ response }: HttpContext): void {
  response.header('referrer-policy', 'strict-origin').header('x-robots-tag', 'noindex')
}

/** A newly created link. */
interface MadeInvitation {
  url: string
  expiresAt: DateTime
  /** True if the user has no password yet */
  isNew: boolean
  /** Email address that the link was sent to; null if it was not sent */
  mailedTo: string | null
  /** True if sending the email failed */
  isMailLost: boolean
}

/**
 * Creates a link with which a user chooses a password, and sends it by email if the user has an address and the
 * application can send mail.
 *
 * @param ctx  the request that creates the link; undefined for a command
 * @throws ValueError  for a user who was deleted
 */
export async function makeInvitation(
  site: Site & WithDatabase & WithInvitations,
  { id }: Pick<AdminUser, 'id'>,
  ctx?: HttpContext
): Promise<MadeInvitation> {
  const { user, token, expiresAt } = await inTransaction(
    site.dbConfig.adminSession(),
    async (client) => {
      const locked = await AdminUser.query({ client }).where('id', id).forUpdate().first()
      if (!locked) throw new ValueError('The user is gone')
      return { user: locked, ...(await site.invitations.make(id, client)) }
    }
  )
  const url = site.absoluteUrl(`/invitation/${token}`, ctx)
  const isNew = !hasPassword(user)
  if (ctx) {
    site.logEvent(ctx, {
      type: EventType.VIEW,
      resourceType: AdminUser.name,
      resourceId: String(id),
      details: { page: 'invitation' },
    })
  }
  const isDue = user.email !== null && canMail()
  const isMailed = isDue && (await mail(site, user, url, isNew))
  return {
    url,
    expiresAt,
    isNew,
    mailedTo: isMailed ? user.email : null,
    isMailLost: isDue && !isMailed,
  }
}

async function mail(site: Site, { email, username }: AdminUser, url: string, isNew: boolean) {
  const part = isNew ? 'invite' : 'reset'
  const subject = site.text(`invitation.mail.${part}Subject`, { title: site.title })
  const lines = [
    site.text('notices.mail.greeting', { username }),
    '',
    site.text(`invitation.mail.${part}`, { title: site.title }),
    url,
    '',
    site.text('invitation.mail.end', { hours: INVITATION_HOURS }),
  ]
  return await sendMail(email!, subject, lines.join('\n'))
}

/** Creates the one-time link of a user, from the page of the user. */
export class InviteController {
  /** @param view  view of the model of admin users */
  constructor(
    private readonly site: Site & WithDatabase & WithInvitations,
    private readonly view: ModelView
  ) {}

  /**
   * Creates the link and renders it in the response. The link is not stored, so a page after a redirect could not show
   * it.
   */
  async make(ctx: HttpContext): Promise<string> {
    const key = this.view.resource.key.fromParams(ctx.params)
    const user = (await this.view.crud.find(key, this.view.callOptions(ctx))) as AdminUser | null
    if (!user) throw new PageNotFound()
    requireProof(ctx, this.view.url(`/update/${user.id}`))
    const made = await makeInvitation(this.site, user, ctx)
    ctx.response.header('referrer-policy', 'no-referrer')
    return await this.site.render(ctx, 'pages/invitation_made', {
      ...made,
      expires: momentOf(made.expiresAt),
      hours: INVITATION_HOURS,
      username: user.username,
      email: user.email,
      page: this.view.url(`/update/${user.id}`),
    })
  }
}

/** The address made too many attempts. The response has a `Retry-After` header. */
class TooManyAttempts extends Exception {
  static status = 429
  static code = 'E_TOO_MANY_ATTEMPTS'
  static message = 'Too many attempts: wait a moment'
}
