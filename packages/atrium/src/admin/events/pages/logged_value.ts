import type { AdminSite } from '../../admin_site.js'
import { plainItems } from '../../text/plain_items.js'
import { prettyJson } from '../../text/pretty_json.js'
import { shorten, visibleText } from '../../text/plain_text.js'

/**
 * A field value as shown.
 */
export interface ShownValue {
  kind: 'null' | 'yes' | 'no' | 'number' | 'text' | 'data'
  text: string
  /** The whole text, if `text` is cut */
  whole?: string
  /** As in `10,000 characters` */
  size?: string
}

const LONGEST = 200
const MOST_LINES = 6

/**
 * Formats a value of the log. A long value is cut, with the whole text next to it.
 *
 * @param title  of the record that it refers to, if the viewer may see it
 */
export function shownValue(site: AdminSite, value: unknown, title?: string): ShownValue {
  if (title !== undefined) return long(site, 'text', title)
  switch (typeof value) {
    case 'undefined':
      return { kind: 'null', text: site.text('events.null') }
    case 'boolean':
      return {
        kind: value ? 'yes' : 'no',
        text: site.text(value ? 'events.yes' : 'events.no'),
      }
    case 'number':
      return { kind: 'number', text: String(value) }
    case 'object':
      if (value === null) return { kind: 'null', text: site.text('events.null') }
      return list(site, value) ?? long(site, 'data', prettyJson(value))
    default:
      if (value === '') return { kind: 'null', text: site.text('events.blank') }
      return long(site, 'text', String(value))
  }
}

/** The items with commas between, unless these could be a part of one. */
function list(site: AdminSite, value: unknown): ShownValue | null {
  const items = plainItems(value)
  if (!items || items.some((item) => item === '' || item.includes(','))) return null
  return items.length > 0 ? long(site, 'text', items.join(', ')) : null
}

function long(site: AdminSite, kind: 'text' | 'data', stored: string): ShownValue {
  const text = visibleText(stored)
  const lines = text.split('\n', MOST_LINES + 1)
  const short = shorten(lines.slice(0, MOST_LINES).join('\n'), LONGEST)
  if (short === text) return { kind, text }
  const shown = short.endsWith('…') ? short : `${short}…`
  const count = [...text].length
  return { kind, text: shown, whole: text, size: site.text('events.characters', { count }) }
}
