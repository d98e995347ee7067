import logger from '@adonisjs/core/services/logger'
import { DateTime } from 'luxon'
import AdminUser from '../models/admin_user.js'
import type { NoticeData, NoticeKind } from './notice_kinds.js'
import { noticePlace, noticeText, type Texts } from './notice_words.js'
import type { NoticePost } from './notices.js'
import { canMail, sendMail } from './site_mail.js'

/** The parts of a site that it uses. */
interface MailingSite extends Texts {
  readonly title: string
  absoluteUrl(path: string): string
}

/**
 * Mails notices to people who have an address. [U16]
 */
export class MailedNotices implements NoticePost {
  constructor(private readonly site: MailingSite) {}

  send(userId: number, kind: NoticeKind, data: NoticeData, address?: string | null): void {
    if (address === null || !canMail()) return
    this.#send(userId, kind, data, address).catch((error) =>
      logger.error({ err: error, kind }, 'A notice could not be mailed')
    )
  }

  async #send(userId: number, kind: NoticeKind, data: NoticeData, address?: string): Promise<void> {
    const user = await AdminUser.find(userId)
    const to = address ?? user?.email
    if (!user || !to) return
    const { site } = this
    const text = noticeText(site, kind, data)
    const lines = [
      site.text('notices.mail.greeting', { username: user.username }),
      '',
      text,
      [noticePlace(data), DateTime.utc().toFormat("yyyy-MM-dd HH:mm 'UTC'")]
        .filter(Boolean)
        .join(', '),
      '',
      site.text(kind === 'email_changed' ? 'notices.mail.emailAdvice' : 'notices.mail.advice'),
      site.absoluteUrl('/account'),
    ]
    await sendMail(to, `${site.title}: ${text}`, lines.join('\n'))
  }
}
