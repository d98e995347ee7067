const KNOWN = new Map<string, number>()

/**
 * True if the first pattern begins with more fixed segments than the second one: `/api/products/:id` is more specific
 * than `/api/*`, and `/admin/login` than `/:page`. [K4]
 *
 * @param pattern  in the router's notation, as in `/api/products/:id`
 */
export function isMoreSpecific(pattern: string, other: string): boolean {
  return fixedSegments(pattern) > fixedSegments(other)
}

/** The patterns of the routes, a known number, are looked at once. */
function fixedSegments(pattern: string): number {
  let fixed = KNOWN.get(pattern)
  if (fixed === undefined) {
    const segments = pattern.split('/').filter((segment) => segment !== '')
    const open = segments.findIndex((segment) => /^[:*]/.test(segment))
    fixed = open === -1 ? segments.length : open
    KNOWN.set(pattern, fixed)
  }
  return fixed
}
