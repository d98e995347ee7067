import { parseCellRef } from 'hucre/xlsx'
import { writeNumeral } from '#base/values/numbers'
import { FileError } from '../../../jobs/job_errors.js'
import { type Cell, type CellError, MOST_COLUMNS, MOST_ROWS } from '../../file_shape.js'
import { momentText, TextRuns, plainText, type Workbook } from './workbook.js'
import { LONGEST_ROW, LONGEST_TEXT, xmlEvents } from './xlsx_parts.js'

export interface SheetRow {
  /** Number of the row, counted from 1 */
  line: number
  cells: Cell[]
  cellErrors?: CellError[]
}

/** Integer with more digits than spreadsheets store, which another program must have written. */
const LONG_INTEGER = /^-?\d{16,}$/

/** Number whose digits after the fifteenth are lost in spreadsheets */
const TOO_LONG = /^-?\d{16,}$|e\+?\d/i

/** Reference to a cell, such as AB12 */
const REFERENCE = /^\$?[A-Z]{1,3}\$?\d{1,7}$/i

/* Maximum length of the text of an error, such as #N/A */
const LONGEST_ERROR = 20

/**
 * Yields the rows of a sheet in order, without empty rows. The value of a formula is its last result.
 *
 * @param heading  row from which on cells beyond the width of the heading count as a single one
 * @throws FileError  with the row that cannot be read
 */
export async function* sheetRows(
  chunks: AsyncIterable<Buffer>,
  workbook: Workbook,
  heading = 1
): AsyncGenerator<SheetRow> {
  const builder = new RowBuilder(workbook, heading)
  try {
    for await (const rows of xmlEvents(chunks, builder)) {
      yield* rows.take()
    }
  } catch (error) {
    if (!(error instanceof FileError) || error.line !== null) throw error
    const isDamage = error.key === 'sheets.errors.xml' || error.key === 'sheets.errors.zip'
    const key = isDamage ? 'sheets.errors.sheet' : error.key
    throw new FileError(key, error.data, builder.place)
  }
}

class RowBuilder {
  /** Number of the last row that has begun */
  line = 0
  readonly #workbook: Workbook
  readonly #runs = new TextRuns()
  #rows: SheetRow[] = []
  #cells: Cell[] = []
  /** Errors by column, because a damaged file can contain a cell any number of times */
  readonly #errors = new Map<number, CellError>()
  /** Total length of the row's cells */
  #length = 0
  readonly #heading: number
  #isInData = false
  #isInRow = false
  #column = 0
  #type = 'n'
  #style = 0
  /** Text of the value; null for a cell without one */
  #value: string[] | null = null
  #valueLength = 0
  #isInValue = false
  #hasText = false
  #hasFormula = false
  /** Maximum number of distinct columns: those of the heading, and one for all columns beyond it */
  #width = MOST_COLUMNS

  constructor(workbook: Workbook, heading: number) {
    this.#workbook = workbook
    this.#heading = heading
  }

  /** Number of the row that is being read, or of the next one */
  get place(): number {
    return this.#isInRow ? this.line : this.line + 1
  }

  /** Returns the rows that were completed since the last call. */
  take(): SheetRow[] {
    const rows = this.#rows
    this.#rows = []
    return rows
  }

  open(name: string, attributes: Readonly<Record<string, string>>): void {
    if (name === 'sheetData') this.#isInData = true
    if (!this.#isInData) return
    if (name === 'row') this.#openRow(attributes.r)
    else if (name === 'c') this.#openCell(attributes)
    else if (name === 'v') {
      this.#isInValue = true
      this.#value = []
      this.#valueLength = 0
    } else if (name === 'is') this.#hasText = true
    else if (name === 'f') this.#hasFormula = true
    else this.#runs.open(name)
  }

  text(text: string): void {
    if (this.#isInValue) this.#addToValue(text)
    else if (this.#hasText) this.#runs.text(text)
  }

  #addToValue(text: string): void {
    this.#valueLength += text.length
    if (this.#valueLength > LONGEST_TEXT) throw new FileError('sheets.errors.bomb')
    this.#value!.push(text)
  }

  close(name: string): void {
    if (name === 'sheetData') this.#isInData = false
    if (!this.#isInData) return
    if (name === 'v') this.#isInValue = false
    else if (name === 'c') this.#closeCell()
    else if (name === 'row') this.#closeRow()
    else this.#runs.close(name)
  }

  #openRow(number: string | undefined): void {
    const line = number === undefined ? this.line + 1 : Number(number)
    if (!Number.isInteger(line) || line <= this.line) throw new FileError('sheets.errors.xml')
    if (line > MOST_ROWS) throw new FileError('sheets.errors.sheetRows', { most: MOST_ROWS - 1 })
    this.line = line
    this.#isInRow = true
    this.#cells = []
    this.#errors.clear()
    this.#length = 0
    this.#column = 0
  }

  #openCell({ r, s, t = 'n' }: Readonly<Record<string, string>>): void {
    if (r !== undefined) this.#column = columnOf(r)
    if (this.#column >= MOST_COLUMNS) {
      throw new FileError('sheets.errors.sheetColumns', { most: MOST_COLUMNS })
    }
    this.#type = t
    this.#style = Number(s ?? 0)
    this.#value = null
    this.#hasText = false
    this.#hasFormula = false
  }

  #closeCell(): void {
    const cell = this.#cell()
    const column = Math.min(this.#column, this.#width)
    const error = this.#errorOf(cell)
    if (error) this.#errors.set(column, { index: column, ...error })
    this.#column++
    if (cell === null) return
    if (!error) this.#errors.delete(column)
    this.#length += String(cell).length
    if (this.#length > LONGEST_ROW) throw new FileError('sheets.errors.bomb')
    while (this.#cells.length < column) this.#cells.push(null)
    this.#cells[column] = cell
  }

  #closeRow(): void {
    this.#isInRow = false
    const cellErrors = [...this.#errors.values()]
    if (this.#cells.length === 0 && cellErrors.length === 0) return
    const isHeading = this.#width === MOST_COLUMNS && this.line >= this.#heading
    if (isHeading) this.#width = this.#cells.length
    const row = { line: this.line, cells: this.#cells }
    this.#rows.push(cellErrors.length === 0 ? row : { ...row, cellErrors })
  }

  #errorOf(cell: Cell): Omit<CellError, 'index'> | null {
    const data = { cell: `${nameOfColumn(this.#column)}${this.line}` }
    if (this.#type === 'e') {
      const value = String(cell).slice(0, LONGEST_ERROR)
      return { isOfText: false, key: 'sheets.errors.errorCell', data: { ...data, value } }
    }
    if (this.#hasFormula && this.#value === null) {
      return { isOfText: false, key: 'sheets.errors.uncalculated', data }
    }
    const isTooLong = this.#type === 'n' && typeof cell === 'string' && TOO_LONG.test(cell)
    return isTooLong ? { isOfText: true, key: 'sheets.errors.roundedCell', data } : null
  }

  #cell(): Cell {
    if (this.#type === 'inlineStr') return this.#hasText ? this.#runs.take() : null
    const text = this.#value?.join('') ?? null
    if (text === null || text === '') return null
    switch (this.#type) {
      case 's':
        return this.#shared(text)
      case 'b':
        return text === '1' || text === 'true'
      case 'n':
        return this.#number(text)
      case 'str':
        return plainText(text)
      default:
        /* Text of an error such as #N/A, or a date in ISO format */
        return text
    }
  }

  #shared(text: string): string {
    const shared = this.#workbook.strings[Number(text)]
    if (shared === undefined) throw new FileError('sheets.errors.xml')
    return shared
  }

  #number(text: string): string {
    const number = Number(text)
    if (!Number.isFinite(number)) return text
    const moment = this.#workbook.styles[this.#style] ?? null
    if (moment) return momentText(number, moment, this.#workbook.isFrom1904) ?? text
    if (LONG_INTEGER.test(text) || isRounded(text, number)) return text
    const numeral = String(number)
    return numeral.includes('e') ? writeNumeral(number) : numeral
  }
}

/** Returns the name of a column, such as `AB` for 27. */
function nameOfColumn(index: number): string {
  const [before, letter] = [Math.floor(index / 26), String.fromCharCode(65 + (index % 26))]
  return before === 0 ? letter : nameOfColumn(before - 1) + letter
}

/**
 * Returns true for an integer beyond 2^53 in the notation of spreadsheets, with an exponent and without the last
 * digits.
 */
function isRounded(text: string, number: number): boolean {
  return /e/i.test(text) && Number.isInteger(number) && !Number.isSafeInteger(number)
}

function columnOf(reference: string): number {
  if (!REFERENCE.test(reference)) throw new FileError('sheets.errors.xml')
  return parseCellRef(reference).col
}
