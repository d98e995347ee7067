import type { ListParameters } from './list_parameters.js'

/**
 * A way to another page. Without an address there is none.
 */
export interface PageLink {
  page: number
  url: string | null
}

/**
 * The ways from one page of a list to the others.
 */
export interface Pager {
  previous: PageLink
  next: PageLink
  /** The first, the last, and those around the current one; null stands for those left out */
  pages: Array<PageLink | null>
}

/**
 * @param parameters  of the page that is shown
 * @param last        the number of the last page
 */
export function pagerOf(parameters: ListParameters, last: number): Pager {
  const { page: current } = parameters
  const link = (page: number): PageLink => ({
    page,
    url: page < 1 || page > last || page === current ? null : parameters.urlOf(page),
  })
  const near = [current - 1, current, current + 1].filter((page) => page > 1 && page < last)
  const numbers = [...new Set([1, ...near, last])]
  const pages: Array<PageLink | null> = []
  for (const [index, page] of numbers.entries()) {
    const gap = page - (numbers[index - 1] ?? 0)
    /* A gap of one page is no gap: its number is as short as the dots. */
    if (gap === 2) pages.push(link(page - 1))
    else if (gap > 2) pages.push(null)
    pages.push(link(page))
  }
  return { previous: link(current - 1), next: link(current + 1), pages }
}
