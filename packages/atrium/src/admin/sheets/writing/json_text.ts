import { writeJson } from '#base/values/json'
import type { SheetOptions } from './sheet_options.js'
import type { Batches, Row } from './batched_rows.js'

/**
 * A table as NDJSON: an object a line. [D2]
 */
export async function* ndjsonText(batches: Batches, options: SheetOptions): AsyncGenerator<string> {
  const object = objectsOf(options)
  for await (const rows of batches) yield rows.map((row) => `${object(row)}\n`).join('')
}

/**
 * A table as JSON: a list of objects. [D2]
 */
export async function* jsonText(batches: Batches, options: SheetOptions): AsyncGenerator<string> {
  const object = objectsOf(options)
  let before = '['
  for await (const rows of batches) {
    yield before + rows.map((row) => `\n${object(row)}`).join(',')
    before = ','
  }
  yield before === '[' ? '[]\n' : '\n]\n'
}

/** An undefined cell is left out. */
function objectsOf({ columns }: SheetOptions): (row: Row) => string {
  const names = columns.map((name) => `${JSON.stringify(name)}:`)
  return (row) => {
    const members = names.flatMap((name, index) =>
      row[index] === undefined ? [] : [name + writeJson(row[index])]
    )
    return `{${members.join(',')}}`
  }
}
