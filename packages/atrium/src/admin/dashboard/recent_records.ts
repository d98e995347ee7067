import type { HttpContext } from '@adonisjs/core/http'
import type { AdminSite } from '../admin_site.js'
import { hasEventLog } from '../events/pages/event_access.js'
import { EventReader } from '../events/pages/event_reader.js'
import { RecordPlaces } from '../events/pages/record_places.js'
import { momentOf, type Moment } from '../time/moment.js'
import { iconOf, type ModelIcon } from '../layout/model_icon.js'
import { plainText } from '../text/plain_text.js'
import { guardOf } from '../authentication/sessions/admin_guard.js'

const MOST = 6
/* More than are shown, as some are gone or out of the viewer's reach by now. */
const CANDIDATES = 40
const LONGEST_TITLE = 80

/**
 * A record that the viewer has created or changed.
 */
export interface RecentRecord {
  title: string
  /** Singular name of its model */
  model: string
  icon: ModelIcon
  /** URL of its form; null if the viewer may not change it any more */
  url: string | null
  moment: Moment
  /** As in `3 minutes ago` */
  ago: string
}

/**
 * The records that the viewer worked on last, newest first: those that still exist and that policy, scope and
 * roles let them see now. [B23, U4]
 *
 * @returns undefined if the site keeps no events, null if they could not be read
 */
export async function recentRecords(
  site: AdminSite,
  ctx: HttpContext
): Promise<RecentRecord[] | null | undefined> {
  if (!hasEventLog(site)) return undefined
  try {
    const { user } = guardOf(ctx).signedInOrFail().owner
    const written = await new EventReader(site).recordsWrittenBy(user, CANDIDATES)
    const places = await RecordPlaces.find(site, ctx, written)
    return written
      .flatMap((record) => {
        const place = places.of(record)
        const view = place && places.views.get(record.resourceType)
        if (!view) return []
        return {
          title: plainText(place.title, LONGEST_TITLE).text,
          model: view.singular,
          icon: iconOf(view),
          url: place.href,
          moment: momentOf(record.timestamp),
          ago: record.timestamp.toRelative({ locale: 'en' }) ?? '',
        }
      })
      .slice(0, MOST)
  } catch (error) {
    ctx.logger.error({ err: error }, 'Recent records could not be read')
    return null
  }
}
