/** Of the `id` columns of the site's tables */
export const LARGEST_ID = 2 ** 31 - 1

/**
 * The id of a row of the site's tables, as an address, a form or the payload of a job has it.
 *
 * @returns null for what cannot be an id
 */
export function rowId(value: unknown): number | null {
  const id = /^[1-9]\d{0,9}$/.test(String(value)) ? Number(value) : 0
  return id > 0 && id <= LARGEST_ID ? id : null
}
