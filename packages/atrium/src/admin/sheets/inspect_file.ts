import { open } from 'node:fs/promises'
import { extname } from 'node:path'
import { unescapeFormula } from '#base/values/text'
import { writeJson } from '#base/values/json'
import { FileError, ReadingLimit } from '../jobs/job_errors.js'
import {
  type Cell,
  type FileShape,
  type FirstRow,
  SAMPLED,
  type FileFormat,
  type ChosenShape,
  type Sheet,
  LONGEST_NAME,
  MOST_NAMES,
} from './file_shape.js'
import { csvRecords, findDelimiter, isDelimiter, namedDelimiter } from './reading/csv_records.js'
import { xlsxRows, xlsxSheets } from './reading/xlsx/xlsx_rows.js'
import { readRows } from './read_rows.js'
import { decodedText, isEncoding, findEncoding } from './reading/decoded_text.js'
import { jsonRecords, ndjsonRecords } from './reading/json_records.js'

/** Number of rows that are inspected, and that can be selected as the heading */
const FIRST_ROWS = 20

/** Last line that can be selected as the heading */
const LAST_HEADING = 1000

/* Maximum length of the text of a selectable row */
const LONGEST_ROW = 80

interface Row {
  line: number
  cells: Cell[]
}

type Form = Pick<FileShape, 'format' | 'encoding' | 'delimiter' | 'sheet'>

export interface Heading {
  /** Line or row number */
  line: number
  names: string[]
  /** Rows that can be selected as the heading instead */
  firstRows: FirstRow[]
}

/**
 * Finds the heading of a table. Titles and notes above it have fewer cells than the rows below it, whereas a heading
 * has about as many.
 *
 * @param least   first line at which the table can begin
 * @param wanted  line of the selected heading, if any; the first row at or after it is used
 * @throws FileError  if there is none
 */
async function findHeading(
  path: string,
  form: Form,
  least: number,
  wanted?: number
): Promise<Heading> {
  const rows = await readFirstRows(path, form, least, wanted)
  const heading = wanted === undefined ? guess(rows) : rows.find(({ line }) => line >= wanted)
  if (!heading) {
    throw wanted === undefined
      ? new FileError('sheets.errors.empty')
      : new FileError('sheets.errors.noHeadingRow', { row: wanted, most: LAST_HEADING })
  }
  const names = heading.cells.map((cell) => (cell === null ? '' : unescapeFormula(String(cell))))
  if (names.every((name) => name.trim() === '')) throw new FileError('sheets.errors.noHeading')
  const offered = rows
    .slice(0, FIRST_ROWS)
    .map(({ cells, line }) => ({ line, text: textOf(cells) }))
  return { line: heading.line, names, firstRows: offered }
}

async function readFirstRows(path: string, form: Form, least: number, wanted = 1): Promise<Row[]> {
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
    /* If rows were found, the error is reported with its position when all rows are read. */
    if (!(error instanceof FileError) || rows.length === 0) throw error
  }
  return rows
}

/**
 * Returns the first row with more than half of the usual number of cells, if most of the rows from it on also have so
 * many; otherwise the first row.
 */
function guess(rows: readonly Row[]): Row | undefined {
  const counts = rows.map(({ cells }) => cells.filter(hasText).length)
  const common = counts.filter((count, index) => counts.indexOf(count) !== index)
  const half = Math.max(...common, 0) / 2
  if (half < 1) return rows[0]
  const isWide = (count: number) => count >= 2 && count > half
  const index = counts.findIndex(isWide)
  const after = counts.slice(index)
  const fitting = after.filter(isWide)
  return index > 0 && fitting.length * 2 > after.length ? rows[index] : rows[0]
}

function hasText(cell: Cell): boolean {
  return cell !== null && String(cell).trim() !== ''
}

function textOf(cells: readonly Cell[]): string {
  const text = cells
    .slice(0, LONGEST_ROW)
    .filter(hasText)
    .map((cell) => String(cell).trim().slice(0, LONGEST_ROW))
    .join(' · ')
  return text.slice(0, LONGEST_ROW)
}

const SAMPLES = 5

/* Maximum number of sheets that are searched for one with rows */
const MOST_TRIED = 10

/* Maximum length of a sample value */
const LONGEST_SAMPLE = 1000

/** Number of objects whose property names become the columns of a file */
const NAMED = 1000

const START = 256 * 1024

const EXTENSIONS: Readonly<Record<string, FileFormat>> = {
  '.csv': 'csv',
  '.tsv': 'csv',
  '.txt': 'csv',
  '.ndjson': 'ndjson',
  '.jsonl': 'ndjson',
  '.json': 'json',
  '.xlsx': 'xlsx',
}

/* Control characters, which are common at the beginning of images and programs but not in column names */
// eslint-disable-next-line no-control-regex
const UNPRINTED = /[\0-\x08\x0e-\x1f]/

const EACH_UNPRINTED = new RegExp(UNPRINTED, 'g')

/*
 * Maximum number of these control characters in a thousand characters. Texts in encodings other than Unicode have none
 * of them, and an image has about fifty.
 */
const MOST_UNPRINTED = 10

/** `least`: first line at which the table can begin */
type Found = Omit<FileShape, 'samples' | 'columns'> & { least?: number }

/**
 * Detects the format, encoding, delimiter and columns of a file, and reads the first rows. Reads the whole file if the
 * encoding depends on it, with constant memory.
 *
 * @param path    path of the file
 * @param name    name of the uploaded file; the extension determines the format
 * @param chosen  settings that the user has selected
 * @throws FileError  if it is not a table, or its first rows can't be read
 */
export async function inspectFile(
  path: string,
  name: string,
  chosen: ChosenShape = {}
): Promise<FileShape> {
  check(chosen)
  const { least = 1, ...found } = await formOf(path, name, chosen)
  const isTable = found.format === 'csv' || found.format === 'xlsx'
  const heading = isTable ? await findHeading(path, found, least, chosen.heading) : null
  const columns = heading?.names ?? (await namesOf(path, found))
  const isNamed = EXTENSIONS[extname(name).toLowerCase()] !== undefined
  if (found.format === 'csv' && !isNamed && columns.some((one) => UNPRINTED.test(one))) {
    throw new FileError('sheets.errors.noTable')
  }
  checkNames(columns)
  const { firstRows, line = 1 } = heading ?? {}
  const place = { ...(firstRows && { firstRows }), ...(line > 1 && { heading: line }) }
  const shape = { ...found, ...place, columns, samples: [] }
  return { ...shape, samples: await samplesOf(path, shape) }
}

function check({ delimiter, encoding, heading }: ChosenShape): void {
  if (heading !== undefined && !(Number.isInteger(heading) && heading > 0)) {
    throw new FileError('sheets.errors.noHeadingRow', { row: heading, most: LAST_HEADING })
  }
  if (encoding !== undefined && !isEncoding(encoding)) {
    throw new FileError('sheets.errors.encoding', { encoding })
  }
  if (delimiter !== undefined && !isDelimiter(delimiter)) {
    throw new FileError('sheets.errors.delimiter')
  }
}

/** Checks the number and length of the names, because the user maps each column and all names are stored. */
function checkNames(columns: readonly string[]): void {
  if (columns.length > MOST_NAMES) {
    throw new FileError('sheets.errors.manyColumns', { most: MOST_NAMES })
  }
  if (columns.some(({ length }) => length > LONGEST_NAME)) {
    throw new FileError('sheets.errors.longName', { most: LONGEST_NAME })
  }
}

async function formOf(path: string, name: string, chosen: ChosenShape): Promise<Found> {
  const isSheet = chosen.format === undefined ? await isPacked(path, name) : false
  if (isSheet || chosen.format === 'xlsx') {
    return {
      format: 'xlsx',
      encoding: null,
      isGuess: false,
      delimiter: null,
      ...(await workbookForm(path, chosen.sheet)),
    }
  }
  const { encoding, isGuess } = chosen.encoding
    ? { encoding: chosen.encoding, isGuess: false }
    : await findEncoding(path)
  const start = await startOf(path, encoding)
  if (start.trim() === '') throw new FileError('sheets.errors.empty')
  if (isGuess && isBinary(start)) throw new FileError('sheets.errors.binary')
  const format = chosen.format ?? formatOf(name, start)
  if (format !== 'csv') return { format, encoding, isGuess, delimiter: null }
  const named = namedDelimiter(start)
  const delimiter = chosen.delimiter ?? named ?? findDelimiter(start)
  return { format, encoding, isGuess, delimiter, ...(named !== null && { least: 2 }) }
}

/** Returns the selected sheet of a workbook, otherwise the first one with rows, with hidden sheets last. */
async function workbookForm(path: string, wanted: string | undefined) {
  const { isFrom1904, sheet, sheets } = await xlsxSheets(path, wanted)
  const chosen = wanted ?? (sheets.length > 1 ? await filledSheet(path, sheets) : null) ?? sheet
  return { sheet: chosen, sheets: [...sheets], ...(isFrom1904 && { isFrom1904 }) }
}

async function filledSheet(path: string, sheets: readonly Sheet[]): Promise<string | null> {
  const sorted = sheets.toSorted((one, other) => Number(one.isHidden) - Number(other.isHidden))
  for (const { name } of sorted.slice(0, MOST_TRIED)) {
    const rows = xlsxRows(path, { sheet: name }, SAMPLED.sheetBytes)
    let isFilled = false
    await upToLimit(async () => {
      const { done } = await rows.next()
      isFilled = !done
    })
    /* Closes the file */
    await rows.return(undefined)
    if (isFilled) return name
  }
  return null
}

/** Returns true for a ZIP file with any name, and for a file with the name of a workbook. */
async function isPacked(path: string, name: string): Promise<boolean> {
  const extension = extname(name).toLowerCase()
  if (['.xlsx', '.xls', '.xlsm', '.ods'].includes(extension)) return true
  const file = await open(path)
  try {
    const { buffer } = await file.read({ buffer: Buffer.alloc(4), position: 0 })
    return buffer.equals(Buffer.from('PK\u0003\u0004'))
  } finally {
    await file.close()
  }
}

async function startOf(path: string, encoding: string): Promise<string> {
  let start = ''
  try {
    for await (const piece of decodedText(path, encoding)) {
      start += piece
      if (start.length >= START) break
    }
  } catch (error) {
    /* If a text was found, the error is reported with its position when the rows are read. */
    if (!(error instanceof FileError) || start === '') throw error
  }
  return start
}

/** Returns true for an image or a program, whatever the file name is. */
function isBinary(text: string): boolean {
  const count = text.match(EACH_UNPRINTED)?.length ?? 0
  return count > 1 && count * 1000 > text.length * MOST_UNPRINTED
}

/**
 * Returns the format by the file name; the two kinds of JSON are detected from the content, because their names are
 * often mixed up.
 */
function formatOf(name: string, start: string): FileFormat {
  const named = EXTENSIONS[extname(name).toLowerCase()]
  if (named === 'csv') return named
  const [first] = start.trimStart()
  if (first === '[') return 'json'
  if (first !== '{') return named ?? 'csv'
  const [line, ...others] = start.trim().split('\n')
  return isJson(line) && (others.length > 0 || named !== 'json') ? 'ndjson' : (named ?? 'json')
}

function isJson(line: string): boolean {
  try {
    JSON.parse(line)
    return true
  } catch {
    return false
  }
}

async function namesOf(path: string, { encoding, format }: Found): Promise<string[]> {
  const names = new Set<string>()
  const read = format === 'json' ? jsonRecords : ndjsonRecords
  let count = 0
  await upToLimit(
    async () => {
      for await (const { object } of read(path, encoding ?? 'utf-8', SAMPLED.bytes)) {
        for (const name of Object.keys(object)) names.add(name)
        if (++count === NAMED || names.size > MOST_NAMES) break
      }
    },
    () => count > 0
  )
  if (names.size === 0) throw new FileError('sheets.errors.empty')
  return [...names]
}

/**
 * Shortens a sample value: a long text is truncated, and a long array or object becomes the beginning of its JSON text.
 */
function shortened(cell: Cell): Cell {
  if (typeof cell === 'string') return cell.slice(0, LONGEST_SAMPLE)
  if (typeof cell !== 'object' || cell === null) return cell
  const text = writeJson(cell)
  return text.length > LONGEST_SAMPLE ? text.slice(0, LONGEST_SAMPLE) : cell
}

async function samplesOf(path: string, shape: FileShape): Promise<Cell[][]> {
  const samples: Cell[][] = []
  await upToLimit(async () => {
    for await (const { cells } of readRows(path, shape, SAMPLED)) {
      samples.push(cells.map(shortened))
      if (samples.length === SAMPLES) break
    }
  })
  return samples
}

/** Runs work on the sampled part of the file, and ignores the reading limit if enough was found before it. */
async function upToLimit(
  work: () => Promise<void>,
  isEnough: () => boolean = () => true
): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!(error instanceof ReadingLimit) || !isEnough()) throw error
  }
}
