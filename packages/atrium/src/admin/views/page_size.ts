/** Page sizes to choose from [B15] */
export const ROWS_OFFERED = [10, 20, 50, 100]

/** Rows of an address that names none [S27] */
export const DEFAULT_ROWS = 10

/** Maximum rows of a page */
export const ROWS_MAX = 100

/** True for a number of rows that a page can have. */
export function isPageSize(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= 1 && Number(value) <= ROWS_MAX
}

/**
 * Rows of a page of a list whose address names nothing. [L6]
 *
 * @param chosen  number that the viewer chose last; null: none
 */
export function usualRows(
  { options }: { options: { rowsPerPage?: number } },
  chosen: number | null
): number {
  return chosen ?? options.rowsPerPage ?? DEFAULT_ROWS
}
