import type { ListResult } from '#crud'
import type { ListParameters } from './list_parameters.js'

/** A link to another page. The current page has no URL. */
export interface PageLink {
  page: number
  url: string | null
}

/** Links to other pages of a list. */
export interface Pager {
  previous: PageLink
  next: PageLink
  /** First, last and the pages around the current one; null for a gap */
  pages: Array<PageLink | null>
  /** Form to enter a page number; null if all pages have links */
  jump: Jump | null
}

/** Data of the form that accepts a page number. */
interface Jump {
  fields: Array<[name: string, value: string]>
  /** Number of the last page */
  last: number
}

/**
 * Returns the pager of a list.
 *
 * @param parameters  parameters of the current page
 * @param last        number of the last page
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
    /* A gap of one page is filled, as the number is as short as the ellipsis. */
    if (gap === 2) pages.push(link(page - 1))
    else if (gap > 2) pages.push(null)
    pages.push(link(page))
  }
  const jump = pages.includes(null) ? { fields: fieldsOf(parameters), last } : null
  return { previous: link(current - 1), next: link(current + 1), pages, jump }
}

function fieldsOf(parameters: ListParameters): Jump['fields'] {
  const [, query = ''] = parameters.urlOf(1).split(/\?(.*)/s)
  return [...new URLSearchParams(query)]
}

/**
 * Returns the last page that is known without a count: the next page if there are more records, otherwise the requested
 * one, or the first if the requested page is empty.
 */
export function lastKnown({ data, has_more: more }: ListResult, { page }: ListParameters): number {
  if (data.length === 0) return 1
  return more ? page + 1 : page
}

/** Returns the number of the last page. */
export function lastPage(total: number, rows: number): number {
  return Math.max(1, Math.ceil(total / rows))
}
