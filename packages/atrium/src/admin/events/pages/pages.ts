/** Events, or records of one event, per page */
export const ROWS = 25

/**
 * A page number and its link; the current page has none.
 */
export interface PageLink {
  page: number
  url: string
  current: boolean
}

/**
 * Position in the pages, and links to the others.
 */
export interface Pages {
  /** Numbers of the first and last row shown, from 1 */
  from: number
  to: number
  total: number
  previous: string | null
  next: string | null
  /** First, last and the pages around the current one; null for a gap */
  links: Array<PageLink | null>
}

/**
 * Number of the last page.
 */
export function lastPage(total: number): number {
  return Math.max(1, Math.ceil(total / ROWS))
}

/**
 * @param current  number of the current page
 * @param url      builds the URL of a page
 */
export function pagesOf(total: number, current: number, url: (page: number) => string): Pages {
  const last = lastPage(total)
  const near = [current - 1, current, current + 1].filter((page) => page > 1 && page < last)
  const links: Array<PageLink | null> = []
  let before = 0
  for (const page of new Set([1, ...near, last])) {
    if (page - before > 1) links.push(null)
    links.push({ page, url: url(page), current: page === current })
    before = page
  }
  return {
    from: Math.min((current - 1) * ROWS + 1, total),
    to: Math.min(current * ROWS, total),
    total,
    previous: current > 1 ? url(current - 1) : null,
    next: current < last ? url(current + 1) : null,
    links,
  }
}
