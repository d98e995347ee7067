import app from '@adonisjs/core/services/app'
import logger from '@adonisjs/core/services/logger'
import { DateTime } from 'luxon'
import AdminUser from '../models/admin_user.js'
import type { NoticeData, NoticeKind } from '../models/admin_notice.js'
import { noticePlace, noticeText, type NoticePost } from './notices.js'
import type { Site } from '../views/site.js'

/** Methods of a message of @adonisjs/mail that the site uses */
interface Message {
  to(address: string): Message
  subject(text: string): Message
  text(content: string): Message
}

interface Mailer {
  send(compose: (message: Message) => void): Promise<unknown>
}

/* The package is optional, so the container's types do not include the name. */
const BINDING = 'mail.manager'

/** Returns true if `@adonisjs/mail` is installed and the provider of the package is registered. */
export function canMail(): boolean {
  return app.container.hasBinding(BINDING)
}

/**
 * Sends a plain text with the application's default mailer, from the address in `config/mail.ts`. A failure is logged
 * without the text.
 *
 * @returns false if the message could not be sent
 */
export async function sendMail(to: string, subject: string, text: string): Promise<boolean> {
  try {
    const mailer = (await app.container.make(BINDING as never)) as Mailer
    await mailer.send((message) => void message.to(to).subject(subject).text(text))
    return true
  } catch (error) {
    logger.error({ reason: String((error as Error).message).slice(0, 300) }, 'A mail was not sent')
    return false
  }
}

/** The properties of the site that are used here. */
type MailingSite = Pick<Site, 'title' | 'text' | 'absoluteUrl'>

/** Sends notices by email to users who have an address. */
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
