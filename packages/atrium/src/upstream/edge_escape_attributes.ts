/*
 * edge.js 6.5.1: `html.attrs` writes values as they are, so a quote in one ends the attribute and the rest
 * of it is markup; it also leaves out a 0. No issue known. It can go when the test "Edge by itself does not
 * escape attributes" fails.
 */
import { edgeGlobals } from 'edge.js'
import { expectGround, hasMethods } from './expect_ground.js'

type Html = typeof edgeGlobals.html

/** @throws Exception  when Edge has no `html.attrs` */
export function checkGround({ html }: { html?: unknown } = edgeGlobals): void {
  expectGround('edge.js', 'edge_escape_attributes', {
    'the global html.attrs': hasMethods(html, 'attrs'),
  })
}

/**
 * Edge's global `html`, whose `attrs` escapes its values.
 *
 * @param escape  escapes a text for markup, including quotes
 */
export function withEscapedAttributes(html: Html, escape: (text: string) => string): Html {
  return {
    ...html,
    attrs: (values: Record<string, unknown>) => html.attrs(escapedWithin(values, escape)),
  }
}

function escapedWithin(value: unknown, escape: (text: string) => string): any {
  if (typeof value === 'string') return escape(value)
  if (typeof value === 'number') return String(value)
  if (Array.isArray(value)) return value.map((one) => escapedWithin(one, escape))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, escapedWithin(inner, escape)])
  )
}
