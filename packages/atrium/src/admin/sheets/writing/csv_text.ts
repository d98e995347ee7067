import { stringify } from 'csv-stringify/sync'
import type { SheetOptions } from './sheet_options.js'
import type { Batches } from './batched_rows.js'
import { cellText, columnOptions, headingOptions } from './cell_text.js'

const BYTE_ORDER_MARK = '\uFEFF'

/*
 * An empty text, what readers trim, and all delimiters, so that the file's own is found
 */
const QUOTED = /^$|[\r\n,;\t|]|^\s|\s$/

/**
 * A table as a CSV file: RFC 4180; null is an empty cell, an empty text `""`. [D2]
 */
export async function* csvText(batches: Batches, options: SheetOptions): AsyncGenerator<string> {
  const { bom = false, columns, delimiter = ',' } = options
  const heading = columns.map((name) => cellText(name, headingOptions(options)))
  yield (bom ? BYTE_ORDER_MARK : '') + lines([heading], delimiter)
  const kinds = columnOptions(options)
  for await (const rows of batches) {
    const texts = rows.map((row) => kinds.map((kind, index) => cellText(row[index], kind)))
    yield lines(texts, delimiter)
  }
}

function lines(rows: ReadonlyArray<Array<string | null>>, delimiter: string): string {
  return stringify(rows as Array<Array<string | null>>, {
    delimiter,
    record_delimiter: 'windows',
    quoted_match: QUOTED,
  })
}
