/**
 * Whether somebody may not do this at all, which no form can mend. [P14]
 */
export function isForbidden(error: unknown): boolean {
  return hasStatus(error, 403)
}

/**
 * Whether the record is not there, or no longer.
 */
export function isMissing(error: unknown): boolean {
  return hasStatus(error, 404)
}

function hasStatus(error: unknown, status: number): boolean {
  return (error as { status?: unknown } | undefined)?.status === status
}
