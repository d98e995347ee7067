import { open } from 'node:fs/promises'
import type { Writable } from 'node:stream'
import type { Site } from '../views/site.js'
import type AdminImport from '../models/admin_import.js'
import type { ImportError } from '../models/admin_import.js'
import { readRows } from '../sheets/read_rows.js'
import { sheetWriter } from '../sheets/sheet_writer.js'
import type { KnownField } from './import_fields.js'

/**
 * Writes the invalid rows of a file in the format of the file, CSV with the same delimiter and in UTF-8, each with the
 * reasons in a last column. Rows and errors are read in the same order, so that neither has to be in memory as a whole.
 *
 * @param paths  paths of the file and of the errors, as lines of JSON
 */
export async function writeInvalidRows(
  site: Site,
  { shape }: AdminImport,
  fields: ReadonlyArray<Pick<KnownField, 'name' | 'label'>>,
  paths: { file: string; errors: string },
  output: Writable
): Promise<void> {
  const why = freeName(site.text('import.errorColumn'), shape.columns)
  const writer = sheetWriter(shape.format, output, {
    columns: [...shape.columns, why],
    delimiter: shape.delimiter ?? undefined,
    /* Without a byte order mark, a program that wrote another encoding would misread UTF-8. */
    bom: shape.encoding !== 'utf-8',
  })
  const errors = new Errors(paths.errors)
  try {
    for await (const { cells, line } of readRows(paths.file, shape)) {
      const reasons = await errors.at(line)
      if (reasons.length === 0) continue
      const messages = reasons.map(({ field, message }) => {
        const label = fields.find(({ name }) => name === field)?.label
        return label && !message.includes(label) ? `${label}: ${message}` : message
      })
      await writer.write([...cells, messages.join('; ')])
    }
    await writer.end()
  } finally {
    await errors.close()
  }
}

/**
 * Reads the errors of rows in parallel with the rows. The caller has to call `close`, as reading can stop before the
 * end.
 */
class Errors {
  readonly #lines: AsyncGenerator<string, void>
  #next: ImportError | null | undefined

  constructor(path: string) {
    this.#lines = linesOf(path)
  }

  async close(): Promise<void> {
    await this.#lines.return()
  }

  async at(line: number): Promise<ImportError[]> {
    const found: ImportError[] = []
    for (;;) {
      if (this.#next === undefined) {
        const { done, value } = await this.#lines.next()
        this.#next = done ? null : (JSON.parse(value!) as ImportError)
      }
      if (this.#next === null || this.#next.line !== line) return found
      found.push(this.#next)
      this.#next = undefined
    }
  }
}

async function* linesOf(path: string): AsyncGenerator<string, void> {
  const file = await open(path)
  try {
    yield* file.readLines({ encoding: 'utf8' })
  } finally {
    await file.close()
  }
}

function freeName(wanted: string, taken: readonly string[]): string {
  return taken.includes(wanted) ? freeName(`${wanted} *`, taken) : wanted
}
