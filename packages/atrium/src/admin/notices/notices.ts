import type { HttpContext } from '@adonisjs/core/http'
import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import { afterOutermostCommit } from '#base/database/outermost_commit'
import { originOf } from '#base/http/request_origin'
import { readersOf } from '#base/database/sqlite/sqlite_connection'
import type { Origin } from '#base/types'
import { momentOf, type Moment } from '../time/local_time.js'
import AdminNotice from '../models/admin_notice.js'
import { plainText } from '../text/plain_text.js'
import { deviceName } from '../text/device_name.js'
import { VersionedCache } from '../permissions/versioned_cache.js'
import type { Person } from '../identity/person.js'
import { raiseVersions } from '../models/versions.js'
import { guardOf } from '../identity/admin_guard.js'
import { NOTICE_KINDS, type NoticeData, type NoticeKind } from '../models/notice_kinds.js'
import { inUtc } from '#base/values/datetime'

/** The catalogue of a site. */
export interface Texts {
  text(key: string, data?: Record<string, unknown>): string
}

/** A notice as pages show it. */
interface ShownNotice {
  id: number
  /** The event, as in `Your password was changed.` */
  text: string
  /** As in `Firefox on Linux, 192.0.2.1`; empty where nothing is known */
  place: string
  moment: Moment
}

/**
 * Returns the event in a sentence.
 */
export function noticeText(site: Texts, kind: NoticeKind, { name, by }: NoticeData): string {
  /* A version of the site that knows more kinds may have written it. */
  if (!NOTICE_KINDS.includes(kind)) return site.text('notices.other')
  const shown = plainText(name ?? '').text
  const text = site.text(`notices.kinds.${kind}`, { name: shown })
  return by ? `${text} ${site.text('notices.by', { username: by })}` : text
}

export function noticePlace({ device, address }: NoticeData): string {
  return [device, address]
    .filter((one) => one !== null && one !== undefined)
    .map((one) => plainText(one).text)
    .join(', ')
}

export function shownNotice(site: Texts, notice: AdminNotice): ShownNotice {
  const { id, kind, data, createdAt } = notice
  return {
    id,
    text: noticeText(site, kind, data),
    place: noticePlace(data),
    moment: momentOf(createdAt),
  }
}

/** Maximum stored notices of a person; the oldest is removed */
export const MOST_NOTICES = 50

/* Of the same kind: who knows a password could have a mail sent for every wrong code. */
const MINUTES_BETWEEN_MAILS = 10

type NoticePlace = Pick<NoticeData, 'device' | 'address'>

/**
 * How a notice leaves the site, for people who are not on it.
 */
export interface NoticePost {
  /**
   * Never rejects, and does not wait for the message to arrive.
   *
   * @param address  where to; null: nowhere. Default: the address that the user has
   */
  send(userId: number, kind: NoticeKind, data: NoticeData, address?: string | null): void
}

export interface TellOptions {
  /** Id of the session that causes it: its pages say so by themselves */
  session?: number | null
  /** Transaction of the notice */
  client?: QueryClientContract
  /** Email address that it is mailed to, or null for none. Default: the one that the user has */
  address?: string | null
}

/**
 * Tells people what happened to their accounts: on the next page of each other session until they say that
 * they have seen it, on their account's page, and by mail where that is configured. The event is logged by who
 * does it. [U16]
 */
export class Notices {
  readonly #unseen = new VersionedCache<readonly AdminNotice[]>()

  constructor(
    private readonly client: () => QueryClientContract,
    private readonly post: NoticePost
  ) {}

  /**
   * @param user  whose account it is
   * @param data  as of `noticeOrigin(ctx)`, and the values of the message by name
   */
  async tell(
    { id }: Pick<Person, 'id'>,
    kind: NoticeKind,
    data: NoticeData = {},
    { session = null, client = this.client(), address }: TellOptions = {}
  ): Promise<void> {
    const isMailed = !(await this.#wasJustReported(id, kind, client))
    await AdminNotice.create({ userId: id, kind, data, sessionId: session }, { client })
    await this.#prune(id, client)
    await raiseVersions(client, [id])
    if (isMailed) afterOutermostCommit(client, () => this.post.send(id, kind, data, address))
  }

  /**
   * Returns the notices that a person has not seen yet, newest first, without what their present session has caused. Read once for
   * each `permissions_version`, which every notice raises.
   */
  async unseen(person: Person, session: number | undefined): Promise<readonly AdminNotice[]> {
    const found = await this.#unseen.of(this, person, 'notices', () =>
      this.#of(person.id).whereNull('seenAt')
    )
    return found.filter(({ sessionId }) => sessionId === null || sessionId !== session)
  }

  /**
   * All notices of a person, newest first.
   */
  async recent(userId: number): Promise<AdminNotice[]> {
    return await this.#of(userId)
  }

  /**
   * Marks what was shown as seen, up to the given one; what the person's present session has caused is left
   * for their others.
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

  /** Every page asks: it waits for none that writes. */
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

/**
 * Device and address of a request, for a notice.
 */
export function noticeOrigin(ctx: HttpContext): NoticePlace {
  return placeOf(originOf(ctx))
}

/**
 * The same, of the origin of a write; empty for own code.
 */
export function placeOf(origin: Origin | undefined): NoticePlace {
  return origin ? { device: deviceName(origin.userAgent), address: origin.ip } : {}
}

/** The banner of a page. */
export interface NoticesOnPage extends ShownNotice {
  /** How many others there are */
  more: number
}

/**
 * The newest notice that the signed-in user has not seen yet, for the banner of a whole page. [U16]
 *
 * @returns null where there is none, and where another user acts as the user
 */
export async function noticesOf(
  site: Texts & { readonly notices: Notices },
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
    /* A page is shown without it rather than not at all. */
    ctx.logger.error({ err: error }, 'The notices of a user could not be read')
    return null
  }
}
