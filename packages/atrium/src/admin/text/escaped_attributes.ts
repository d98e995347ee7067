import type { edgeGlobals } from 'edge.js'
import { escaped } from './plain_text.js'

type Html = typeof edgeGlobals.html

/**
 * Returns Edge's global `html` with an `attrs` function that escapes values. Edge's function does not escape them, so
 * that a quote would end the attribute, and it leaves out a 0.
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
