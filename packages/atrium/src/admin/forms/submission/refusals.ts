/**
 * Returns true if the policy refuses the operation, whatever the form contains. [P14]
 */
export function isForbidden(error: unknown): boolean {
  return hasStatus(error, 403)
}

/**
 * Returns true if the record does not exist.
 */
export function isMissing(error: unknown): boolean {
  return hasStatus(error, 404)
}

function hasStatus(error: unknown, status: number): boolean {
  return (error as { status?: unknown } | undefined)?.status === status
}
