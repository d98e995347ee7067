import { DateTime } from 'luxon'
import { ZONES_BY_AREA } from './time_zone.js'

/**
 * The chooser of a time zone.
 */
export interface ZoneChoices {
  /** The zone that is chosen; empty for that of the site */
  value: string
  /** Label of the empty value, as in `As the site (UTC)` */
  site: string
  help: string
  groups: Array<{ area: string; zones: Array<{ name: string; label: string }> }>
}

interface Site {
  timeZone: string
  text(key: string, data?: Record<string, unknown>): string
}

/**
 * All time zones by area. [R12]
 *
 * @param chosen  null for that of the site
 */
export function zoneChoices(site: Site, chosen: string | null): ZoneChoices {
  const now = DateTime.now().setZone(chosen ?? site.timeZone)
  const groups = [...ZONES_BY_AREA].map(([area, names]) => ({
    area,
    zones: names.map((name) => ({ name, label: placeIn(name) })),
  }))
  return {
    value: chosen ?? '',
    site: site.text('account.siteZone', { zone: site.timeZone }),
    help: site.text('account.timeZoneHelp', {
      now: now.setLocale('en').toFormat('d LLL yyyy, HH:mm'),
    }),
    groups,
  }
}

/** Without the area, so that typing the name of the place finds it in the list. */
function placeIn(name: string): string {
  return name.slice(name.indexOf('/') + 1).replaceAll('_', ' ')
}
