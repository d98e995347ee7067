/* Parses a list page of the admin site. */
import { get, type HttpResponse } from '#tests/helpers/http'

export interface ShownList extends HttpResponse {
  /** Texts of the header cells, without the selection column */
  headings: string[]
  /** Texts of the cells by row; null for a dash */
  rows: string[][]
  /** As in `1–10 of 3,201`; undefined without records */
  range: string | undefined
}

/** Requests a list. */
export async function getList(
  cookie: string,
  path: string,
  headers: Record<string, string> = {}
): Promise<ShownList> {
  const response = await get(path, { headers: { cookie, ...headers } })
  const [, head = '', body = ''] = /<thead.*?>(.*?)<\/thead>.*?<tbody>(.*?)<\/tbody>/s.exec(
    response.text
  ) ?? [undefined]
  const range = /class="list-range">(.*?)</.exec(response.text)?.[1]
  return {
    ...response,
    headings: cells(head).map(textOf),
    rows: [...body.matchAll(/<tr.*?<\/tr>/gs)].map(([row]) => cells(row).map(valueOf)),
    range: range && unescape(range),
  }
}

/**
 * Values of one column.
 *
 * @param index  index of the column
 */
export function column({ rows }: ShownList, index: number): string[] {
  return rows.map((cellsOfRow) => cellsOfRow[index])
}

/** Markup of the cells of a row, without the selection column and the sheet of phones. */
export function cells(row: string): string[] {
  return [...row.matchAll(/<(t[hd])\b[^>]*>.*?<\/\1>/gs)]
    .map(([cell]) => cell)
    .filter((cell) => !/class="list-(check|sort)"/.test(cell))
}

/** Text of a cell, without the mark of a deleted record */
function valueOf(cell: string): string {
  return textOf(cell.replace(/<span class="deleted-mark">.*?<\/span>/gs, ''))
}

/** Every tag of a page, as a browser's parser finds it. */
export function tagsOf(text: string): string[] {
  return text.match(/<[a-z!/][^>]*>/gi) ?? []
}

/** Visible text of the markup. */
export function textOf(markup: string): string {
  return unescape(
    markup
      .replace(/<span class="sr-only">.*?<\/span>/gs, '')
      .replace(/<[^>]*>/g, '')
      .trim()
  )
}

const ENTITIES: Record<string, string> = {
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&amp;': '&',
  '&ndash;': '–',
  '&hellip;': '…',
}

export function unescape(text: string): string {
  return text.replace(/&(?:#(x?)([\da-f]+)|\w+);/gi, (entity, hex, code) =>
    code ? String.fromCodePoint(Number.parseInt(code, hex ? 16 : 10)) : (ENTITIES[entity] ?? entity)
  )
}
