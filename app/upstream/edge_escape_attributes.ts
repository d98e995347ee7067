import type { Edge } from 'edge.js'
import { escaped } from '#admin/text/markup'

/* Escaping twice would show `&amp;`. */
const escaping = new WeakSet<object>()

/**
 * Makes Edge's `html.attrs` escape what it is given. As it comes it writes values as they are, so that a
 * quote in one ends the attribute and the rest of it is markup; it also leaves out a 0.
 */
export function escapeAttributes(edge: Edge): void {
  const { html } = edge.globals
  if (escaping.has(html)) return
  const attrs = (values: Record<string, unknown>) => html.attrs(escapedWithin(values))
  const safe = { ...html, attrs }
  escaping.add(safe)
  edge.global('html', safe)
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
