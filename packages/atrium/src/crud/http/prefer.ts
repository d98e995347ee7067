import type { HttpContext } from '@adonisjs/core/http'

/** The value of a `Prefer: return=...` header (RFC 7240); the first one counts. [A3] */
export function preferredReturn(ctx: HttpContext): 'representation' | 'minimal' | undefined {
  for (const preference of (ctx.request.header('prefer') ?? '').split(',')) {
    const match = /^\s*return\s*=\s*"?(representation|minimal)"?\s*(?:;.*)?$/i.exec(preference)
    if (match) return match[1].toLowerCase() as 'representation' | 'minimal'
  }
  return undefined
}
