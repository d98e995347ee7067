/** Page sizes offered to users */
export const ROWS_OFFERED = [10, 20, 50, 100]

/** Default page size */
export const DEFAULT_ROWS = 10

/** Maximum page size */
export const ROWS_MAX = 100

/** Returns true for a valid page size. */
export function isPageSize(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= 1 && Number(value) <= ROWS_MAX
}

/**
 * Returns the page size of a list whose URL does not contain one.
 *
 * @param chosen  the viewer's last choice; null if there is none
 */
export function usualRows(
  { options }: { options: { rowsPerPage?: number } },
  chosen: number | null
): number {
  return chosen ?? options.rowsPerPage ?? DEFAULT_ROWS
}
