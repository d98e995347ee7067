/*
 * What a list page of the admin site holds, read from its markup.
 */
import { get, type Answer } from '#tests/helpers/http'

export interface ShownList extends Answer {
  /** Texts of the headings, the one for selecting left out */
  headings: string[]
  /** Texts of the cells, row by row; a null is a dash */
  rows: string[][]
  /** As in `1–10 of 3,201`; undefined where there are no records */
  range: string | undefined
}

/**
 * Asks for a list.
 */
export async function getList(
  cookie: string,
  path: string,
  headers: Record<string, string> = {}
): Promise<ShownList> {
  const answer = await get(path, { headers: { cookie, ...headers } })
  const [, head = '', body = ''] = /<thead.*?>(.*?)<\/thead>.*?<tbody>(.*?)<\/tbody>/s.exec(
    answer.text
  ) ?? [undefined]
  const range = /class="list-range">(.*?)</.exec(answer.text)?.[1]
  return {
    ...answer,
    headings: cells(head).map(textOf),
    rows: [...body.matchAll(/<tr.*?<\/tr>/gs)].map(([row]) => cells(row).map(textOf)),
    range: range && unescape(range),
  }
}

/**
 * The values of one column.
 *
 * @param index  the column's place in the list
 */
export function column({ rows }: ShownList, index: number): string[] {
  return rows.map((cellsOfRow) => cellsOfRow[index])
}

/**
 * The markup of each cell of a row, the one for selecting left out.
 */
export function cells(row: string): string[] {
  return [...row.matchAll(/<(t[hd])\b[^>]*>.*?<\/\1>/gs)]
    .map(([cell]) => cell)
    .filter((cell) => !cell.includes('class="list-check"'))
}

/**
 * Every tag of a page, as the browser's parser would find it.
 */
export function tagsOf(text: string): string[] {
  return text.match(/<[a-z!/][^>]*>/gi) ?? []
}

/**
 * What is to be read of a piece of markup.
 */
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
