import type { DateTime } from 'luxon'
import type { HttpContext } from '@adonisjs/core/http'
import { ValueError } from '#crud'
import { inTransaction } from '#base/database/transaction'
import { EventType } from '../../events/event_integration.js'
import type { AdminSite } from '../../admin_site.js'
import AdminUser from '../../models/admin_user.js'
import { canMail, sendMail } from '../../notices/mailed_notices.js'
import { hasPassword } from '../passwords/password_rules.js'
import { PageNotFound } from '../../errors.js'
import { momentOf } from '../../time/local_time.js'
import type { ModelView } from '../../model_view.js'
import { requireProof } from '../reauthentication/reauthentication.js'
import { INVITATION_HOURS } from './invitations.js'

/** A link that was just made. */
export interface MadeInvitation {
  url: string
  expiresAt: DateTime
  /** True for a user who has no password yet */
  isNew: boolean
  /** Address that it was mailed to; null: to none */
  mailedTo: string | null
  /** True if it should have been mailed and could not be */
  isMailLost: boolean
}

/**
 * Makes a link with which a user chooses a password, and mails it where the user has an address and the application
 * can mail. [U12]
 *
 * @param ctx  the request of who makes it; undefined for a command
 * @throws ValueError  for a user who is gone
 */
export async function makeInvitation(
  site: AdminSite,
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

async function mail(site: AdminSite, { email, username }: AdminUser, url: string, isNew: boolean) {
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

/**
 * Makes the one-time link of a user, from the user's page. [U12]
 */
export class InviteController {
  /**
   * @param view  of the users
   */
  constructor(
    private readonly site: AdminSite,
    private readonly view: ModelView
  ) {}

  /**
   * Renders the link in the response itself, as it is stored nowhere for a redirect to show.
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
