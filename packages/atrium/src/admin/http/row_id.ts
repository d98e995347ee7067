/** Maximum value of the `id` columns of the site's tables */
export const LARGEST_ID = 2 ** 31 - 1

/**
 * Parses the id of a row of the site's tables from a URL, a form or the payload of a job.
 *
 * @returns null for a value that cannot be an id
 */
export function rowId(value: unknown): number | null {
  const id = /^[1-9]\d{0,9}$/.test(String(value)) ? Number(value) : 0
  return id > 0 && id <= LARGEST_ID ? id : null
}
