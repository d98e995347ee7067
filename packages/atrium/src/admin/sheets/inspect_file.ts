import { open } from 'node:fs/promises'
import { extname } from 'node:path'
import { unescapeFormula } from '#base/values/formula'
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
import { csvRecords } from './reading/csv_records.js'
import { xlsxRows, xlsxSheets } from './reading/xlsx/xlsx_rows.js'
import { readRows } from './read_rows.js'
import { decodedText } from './reading/decoded_text.js'
import { findDelimiter, isDelimiter, namedDelimiter } from './reading/delimiters.js'
import { isEncoding, findEncoding } from './reading/encodings.js'
import { jsonRecords, ndjsonRecords } from './reading/json_records.js'

/** Rows that are looked at, and offered as the heading */
const FIRST_ROWS = 20

/** The last line that can be chosen as the heading */
const LAST_HEADING = 1000

/* Characters of a row that is offered */
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
    /* The reading of the rows tells where the file ends. */
    if (!(error instanceof FileError) || rows.length === 0) throw error
  }
  return rows
}

/** The first row with more than half the cells that several rows have, if most of the rows from there on have them, too. */
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

/* Sheets among which one with rows is looked for */
const MOST_TRIED = 10

/* Characters of a value that is only inspected */
const LONGEST_SAMPLE = 1000

/** Objects whose names are the columns of a file */
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

/* Control characters: pictures and programs begin with them, and names of columns hardly ever */
// eslint-disable-next-line no-control-regex
const UNPRINTED = /[\0-\x08\x0e-\x1f]/

const EACH_UNPRINTED = new RegExp(UNPRINTED, 'g')

/* Of a thousand letters. Texts that are not Unicode have none of these, and a picture has fifty. */
const MOST_UNPRINTED = 10

/** `least`: the line at which the table can begin */
type Found = Omit<FileShape, 'samples' | 'columns'> & { least?: number }

/**
 * Finds what a file is: its format, encoding, delimiter and columns, and what is in its first rows. Reads the whole
 * file where the encoding depends on it, with flat memory. [D3]
 *
 * @param path    of the file
 * @param name    as it was uploaded; its extension tells the format
 * @param chosen  what is known already
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

/** A person maps each column, and all of it is stored. */
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

/** The wanted sheet of a workbook; else the first one with rows, hidden ones last. */
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

/** True for a ZIP file, whatever its name is, and for what is named a workbook. */
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
    /* The reading of the rows tells where the error is. */
    if (!(error instanceof FileError) || start === '') throw error
  }
  return start
}

/** True for a picture or a program, whatever its name is. */
function isBinary(text: string): boolean {
  const count = text.match(EACH_UNPRINTED)?.length ?? 0
  return count > 1 && count * 1000 > text.length * MOST_UNPRINTED
}

/** By the name, save for the two kinds of JSON, which are often named alike. */
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

/** A sample is only looked at: a long value is cut, a long list or object becomes the beginning of its text. */
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

/** Ends the work where the sampled part of the file ends, unless nothing was found in it. */
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
