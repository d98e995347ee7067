import type { edgeGlobals } from 'edge.js'
import { escaped } from './plain_text.js'

type Html = typeof edgeGlobals.html

/**
 * Edge's global `html`, whose `attrs` escapes its values: Edge's own writes them as they are, so that a quote ends the
 * attribute, and leaves out a 0.
 */
export function withEscapedAttributes(html: Html): Html {
  return { ...html, attrs: (values: Record<string, unknown>) => html.attrs(escapedWithin(values)) }
}

function escapedWithin(value: unknown): any {
  if (typeof value === 'string') return escaped(value)
  if (typeof value === 'number') return String(value)
  if (Array.isArray(value)) return value.map(escapedWithin)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, escapedWithin(inner)])
  )
}
