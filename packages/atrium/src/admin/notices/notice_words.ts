import { momentOf, type Moment } from '../time/moment.js'
import type AdminNotice from '../models/admin_notice.js'
import { plainText } from '../text/plain_text.js'
import { NOTICE_KINDS, type NoticeData, type NoticeKind } from './notice_kinds.js'

/** The catalogue of a site. */
export interface Texts {
  text(key: string, data?: Record<string, unknown>): string
}

/** A notice as pages show it. */
export interface ShownNotice {
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
