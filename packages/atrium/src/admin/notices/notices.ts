import type { HttpContext } from '@adonisjs/core/http'
import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import { afterOutermostCommit } from '#base/database/outermost_commit'
import { originOf } from '#base/http/request'
import { readersOf } from '#base/database/sqlite/sqlite_connection'
import type { Origin } from '#base/types'
import { momentOf, type Moment } from '../time/local_time.js'
import AdminNotice, {
  NOTICE_KINDS,
  type NoticeData,
  type NoticeKind,
} from '../models/admin_notice.js'
import { plainText } from '../text/plain_text.js'
import { deviceName } from '../text/device_name.js'
import { VersionedCache } from '../permissions/versioned_cache.js'
import type { Person } from '../identity/person.js'
import { raiseVersions } from '../models/versions.js'
import { guardOf } from '../identity/admin_guard.js'
import { inUtc } from '#base/values/datetime'
import type { Site } from '../views/site.js'
import app from '@adonisjs/core/services/app'
import logger from '@adonisjs/core/services/logger'
import { DateTime } from 'luxon'
import AdminUser from '../models/admin_user.js'

/** Access to the texts of the catalogue. */
/** A notice as displayed. */
interface ShownNotice {
  id: number
  /** The event, such as `Your password was changed.` */
  text: string
  /** For example `Firefox on Linux, 192.0.2.1`; empty if unknown */
  place: string
  moment: Moment
}

/** Returns the text of a notice. */
function noticeText(site: Pick<Site, 'text'>, kind: NoticeKind, { name, by }: NoticeData): string {
  /* A newer version of the site may have stored a kind that this version does not have. */
  if (!NOTICE_KINDS.includes(kind)) return site.text('notices.other')
  const shown = plainText(name ?? '').text
  const text = site.text(`notices.kinds.${kind}`, { name: shown })
  return by ? `${text} ${site.text('notices.by', { username: by })}` : text
}

function noticePlace({ device, address }: NoticeData): string {
  return [device, address]
    .filter((one) => one !== null && one !== undefined)
    .map((one) => plainText(one).text)
    .join(', ')
}

export function shownNotice(site: Pick<Site, 'text'>, notice: AdminNotice): ShownNotice {
  const { id, kind, data, createdAt } = notice
  return {
    id,
    text: noticeText(site, kind, data),
    place: noticePlace(data),
    moment: momentOf(createdAt),
  }
}

/** Maximum number of stored notices of a user; a further notice replaces the oldest */
export const MOST_NOTICES = 50

/*
 * Minimum time between emails of the same kind, because an attacker with the password could trigger an email for every
 * wrong code.
 */
const MINUTES_BETWEEN_MAILS = 10

type NoticePlace = Pick<NoticeData, 'device' | 'address'>

/** Delivers notices to users who are not on the site. */
interface NoticePost {
  /**
   * Sends a notice without waiting for delivery. Never rejects.
   *
   * @param address  email address; null: none. Default: the user's current address
   */
  send(userId: number, kind: NoticeKind, data: NoticeData, address?: string | null): void
}

export interface NoticeOptions {
  /** Id of the session that causes the notice; that session does not show it */
  session?: number | null
  /** Transaction in which the notice is stored */
  client?: QueryClientContract
  /** Email address that the notice is sent to, or null for none. Default: the user's current address */
  address?: string | null
}

/**
 * Notifies users of changes to their accounts: on the pages of their other sessions until they mark the notice as seen,
 * on the account page, and by email if that is configured. The caller logs the event.
 */
export class Notices {
  readonly #unseen = new VersionedCache<readonly AdminNotice[]>()

  constructor(
    private readonly client: () => QueryClientContract,
    private readonly post: NoticePost
  ) {}

  /**
   * @param user  owner of the account
   * @param data  result of `noticeOrigin(ctx)`, and the values of the message by name
   */
  async notify(
    { id }: Pick<Person, 'id'>,
    kind: NoticeKind,
    data: NoticeData = {},
    { session = null, client = this.client(), address }: NoticeOptions = {}
  ): Promise<void> {
    const isMailed = !(await this.#wasJustReported(id, kind, client))
    await AdminNotice.create({ userId: id, kind, data, sessionId: session }, { client })
    await this.#prune(id, client)
    await raiseVersions(client, [id])
    if (isMailed) afterOutermostCommit(client, () => this.post.send(id, kind, data, address))
  }

  /**
   * Returns the unseen notices of a user, newest first, except those that the user's current session has caused. Cached
   * by `permissions_version`, which every notice increments.
   */
  async unseen(person: Person, session: number | undefined): Promise<readonly AdminNotice[]> {
    const found = await this.#unseen.of(this, person, 'notices', () =>
      this.#of(person.id).whereNull('seenAt')
    )
    return found.filter(({ sessionId }) => sessionId === null || sessionId !== session)
  }

  /** Returns all notices of a user, newest first. */
  async recent(userId: number): Promise<AdminNotice[]> {
    return await this.#of(userId)
  }

  /**
   * Marks notices as seen, up to the given one. Notices that the current session has caused stay unseen for the user's
   * other sessions.
   *
   * @param last  id of the newest notice that was shown
   */
  async see(userId: number, last: number, session: number): Promise<void> {
    const client = this.client()
    await AdminNotice.query({ client })
      .where('userId', userId)
      .where('id', '<=', last)
      .whereNull('seenAt')
      .where((query) => query.whereNull('sessionId').orWhereNot('sessionId', session))
      .update({ seen_at: inUtc() })
    await raiseVersions(client, [userId])
  }

  /** Reads notices. Every page does this, so the query must not wait for a writer. */
  #of(userId: number) {
    const client = this.client()
    return AdminNotice.query({ client: readersOf(client) ?? client })
      .where('userId', userId)
      .orderBy('id', 'desc')
  }

  async #wasJustReported(userId: number, kind: NoticeKind, client: QueryClientContract) {
    if (kind !== 'second_step_failed') return false
    const [last] = await AdminNotice.query({ client })
      .where({ userId, kind })
      .orderBy('id', 'desc')
      .limit(1)
    return last !== undefined && last.createdAt.diffNow('minutes').minutes > -MINUTES_BETWEEN_MAILS
  }

  async #prune(userId: number, client: QueryClientContract) {
    const stored = await AdminNotice.query({ client })
      .where('userId', userId)
      .orderBy('id', 'desc')
      .select('id')
    const [surplus] = stored.slice(MOST_NOTICES)
    if (!surplus) return
    await AdminNotice.query({ client })
      .where('userId', userId)
      .where('id', '<=', surplus.id)
      .delete()
  }
}

/** Returns device and address of a request, for a notice. */
export function noticeOrigin(ctx: HttpContext): NoticePlace {
  return deviceOf(originOf(ctx))
}

/** Returns device and address of the origin of a write; empty for writes by code. */
export function deviceOf(origin: Origin | undefined): NoticePlace {
  return origin ? { device: deviceName(origin.userAgent), address: origin.ip } : {}
}

/** Data of the banner on a page. */
interface NoticesOnPage extends ShownNotice {
  /** Number of further notices */
  more: number
}

/**
 * Returns the newest unseen notice of the signed-in user, for the banner of a page.
 *
 * @returns null if there is none, for a part of a page, and while a superuser acts as the user or views the site as a
 *   role
 */
export async function noticesOf(
  site: Pick<Site, 'text'> & WithNotices,
  ctx: HttpContext
): Promise<NoticesOnPage | null> {
  const { signedIn } = guardOf(ctx)
  if (!signedIn || ctx.request.header('hx-request') !== undefined) return null
  const { acting, owner, session } = signedIn
  if (acting || owner.viewedRole !== undefined) return null
  try {
    const [newest, ...others] = await site.notices.unseen(owner, session.id)
    return newest ? { ...shownNotice(site, newest), more: others.length } : null
  } catch (error) {
    /* If the notices cannot be read, the page is shown without them. */
    ctx.logger.error({ err: error }, 'The notices of a user could not be read')
    return null
  }
}

/** A site that notifies users about their accounts */
export interface WithNotices {
  readonly notices: Notices
}

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
