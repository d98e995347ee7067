import { unescapeFormula } from '#base/values/formula'
import { FileFault } from '../jobs/job_errors.js'
import { type Cell, type FileShape, type FirstRow, SAMPLED } from './file_shape.js'
import { csvRecords } from './reading/csv_records.js'
import { xlsxRows } from './reading/xlsx/xlsx_rows.js'

/** Rows that are looked at, and offered as the heading */
const FIRST_ROWS = 20

/** The last line that can be chosen as the heading */
export const LAST_HEADING = 1000

/* Letters of a row that is offered */
const LONGEST_ROW = 80

interface Row {
  line: number
  cells: Cell[]
}

type Form = Pick<FileShape, 'format' | 'encoding' | 'delimiter' | 'sheet'>

export interface Heading {
  /** Line or row */
  line: number
  names: string[]
  /** Rows that could be the heading instead */
  firstRows: FirstRow[]
}

/**
 * The heading of a table. Titles and notes above it have fewer cells than the rows below it; a heading by itself has
 * about as many.
 *
 * @param least   the line at which the table can begin
 * @param wanted  line of the heading, if it was chosen: the first row from there on
 * @throws FileFault  if there is none
 */
export async function findHeading(
  path: string,
  form: Form,
  least: number,
  wanted?: number
): Promise<Heading> {
  const rows = await firstRows(path, form, least, wanted)
  const heading = wanted === undefined ? guess(rows) : rows.find(({ line }) => line >= wanted)
  if (!heading) {
    throw wanted === undefined
      ? new FileFault('sheets.fault.empty')
      : new FileFault('sheets.fault.noHeadingRow', { row: wanted, most: LAST_HEADING })
  }
  const names = heading.cells.map((cell) => (cell === null ? '' : unescapeFormula(String(cell))))
  if (names.every((name) => name.trim() === '')) throw new FileFault('sheets.fault.noHeading')
  const offered = rows
    .slice(0, FIRST_ROWS)
    .map(({ cells, line }) => ({ line, text: textOf(cells) }))
  return { line: heading.line, names, firstRows: offered }
}

async function firstRows(path: string, form: Form, least: number, wanted = 1): Promise<Row[]> {
  const rows: Row[] = []
  if (wanted > LAST_HEADING) return rows
  const records =
    form.format === 'csv'
      ? csvRecords(path, form, SAMPLED.bytes)
      : xlsxRows(path, { sheet: form.sheet, heading: Infinity }, SAMPLED.sheetBytes)
  try {
    for await (const row of records) {
      if (row.line >= least) rows.push(row)
      if (rows.length >= FIRST_ROWS && row.line >= wanted) break
    }
  } catch (error) {
    /* The reading of the rows tells where the file ends. */
    if (!(error instanceof FileFault) || rows.length === 0) throw error
  }
  return rows
}

/** The first row with more than half the cells that several rows have, if most of the rows from there on have them, too. */
function guess(rows: readonly Row[]): Row | undefined {
  const counts = rows.map(({ cells }) => cells.filter(isFilled).length)
  const common = counts.filter((count, index) => counts.indexOf(count) !== index)
  const half = Math.max(...common, 0) / 2
  if (half < 1) return rows[0]
  const isWide = (count: number) => count >= 2 && count > half
  const index = counts.findIndex(isWide)
  const after = counts.slice(index)
  const fitting = after.filter(isWide)
  return index > 0 && fitting.length * 2 > after.length ? rows[index] : rows[0]
}

function isFilled(cell: Cell): boolean {
  return cell !== null && String(cell).trim() !== ''
}

function textOf(cells: readonly Cell[]): string {
  const text = cells
    .slice(0, LONGEST_ROW)
    .filter(isFilled)
    .map((cell) => String(cell).trim().slice(0, LONGEST_ROW))
    .join(' · ')
  return text.slice(0, LONGEST_ROW)
}
