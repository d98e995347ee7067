import { posix } from 'node:path'
import { isDateFormat } from 'hucre'
import { serialMoment } from '../../cell_value.js'
import { FileError } from '../../../jobs/job_errors.js'
import type { Sheet } from '../../file_shape.js'
import {
  LONGEST_TEXT,
  MOST_SHARED,
  LONGEST_SHEET,
  STORED_MAX,
  MOST_SHARED_XML,
  MOST_SHEETS,
  type ZipParts,
  readXml,
} from './xlsx_parts.js'

type Moment = 'date' | 'datetime' | 'time'

/** Built-in number formats of dates and times, which files do not define, by number */
const BUILT_IN: Readonly<Record<number, Moment>> = {
  14: 'date',
  15: 'date',
  16: 'date',
  17: 'date',
  18: 'time',
  19: 'time',
  20: 'time',
  21: 'time',
  22: 'datetime',
  45: 'time',
}

/** Returns which styles of a workbook show a number as a date or time, by the number of the style. */
async function dateStyles(chunks: AsyncIterable<Buffer>): Promise<Array<Moment | null>> {
  const formats = new Map<number, Moment | null>()
  const styles: Array<Moment | null> = []
  let isInCells = false
  await readXml(chunks, {
    open(name, attributes) {
      if (name === 'numFmt') {
        formats.set(Number(attributes.numFmtId), momentOf(attributes.formatCode ?? ''))
      } else if (name === 'cellXfs') isInCells = true
      else if (name === 'xf' && isInCells) {
        const id = Number(attributes.numFmtId ?? 0)
        styles.push(formats.get(id) ?? BUILT_IN[id] ?? null)
      }
    },
    close(name) {
      if (name === 'cellXfs') isInCells = false
    },
  })
  return styles
}

/* Maximum length of a format in Excel; searching longer ones could take minutes. */
const LONGEST_FORMAT = 255

function momentOf(format: string): Moment | null {
  if (format.length > LONGEST_FORMAT) return null
  const [code] = format.replaceAll(/"[^"]*"|\\./g, '').split(';')
  /* Durations in hours, such as [h]:mm, are not a time of day. */
  if (/\[[hms]+\]/i.test(code) || !isDateFormat(format)) return null
  const letters = code.replaceAll(/\[[^\]]*\]/g, '')
  const hasTime = /[hs]/i.test(letters)
  const hasDay = /[yd]/i.test(letters) || (!hasTime && /m/i.test(letters))
  if (hasDay) return hasTime ? 'datetime' : 'date'
  return hasTime ? 'time' : null
}

/**
 * Converts a serial number of a sheet to a date or time: `2026-01-31`, `2026-01-31 10:00:00` or `10:00:00`.
 *
 * @param serial  days since the beginning of the workbook's calendar
 * @returns null if it is beyond the calendar
 */
export function momentText(serial: number, kind: Moment, isFrom1904: boolean): string | null {
  const [day, time] = serialMoment(serial, isFrom1904)?.split(' ') ?? []
  if (day === undefined) return null
  if (kind === 'time' && serial < 1) return time
  return kind === 'date' && time === '00:00:00' ? day : `${day} ${time}`
}

const CODE = /_x([\dA-F]{4})_/gi

/** Replaces the codes of characters that XML cannot contain, such as `_x000D_`, in a text of a sheet. */
export function plainText(text: string): string {
  return text.includes('_x')
    ? text.replace(CODE, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    : text
}

/** Returns a copy, because a substring of a long text would keep the whole text in memory. */
function ownCopy(text: string): string {
  return text.length > 12 ? Buffer.from(text, 'utf16le').toString('utf16le') : text
}

/** Joins the runs of a cell's text: each `t`, except those of the pronunciation (`rPh`). */
export class TextRuns {
  #isOpen = false
  #isPhonetic = false
  #pieces: string[] = []
  #length = 0

  open(name: string): void {
    if (name === 'rPh') this.#isPhonetic = true
    if (name === 't') this.#isOpen = !this.#isPhonetic
  }

  text(text: string): void {
    if (!this.#isOpen) return
    this.#length += text.length
    if (this.#length > LONGEST_TEXT) throw new FileError('sheets.errors.bomb')
    this.#pieces.push(text)
  }

  close(name: string): void {
    if (name === 'rPh') this.#isPhonetic = false
    if (name === 't') this.#isOpen = false
  }

  /** Returns the text since the last call. */
  take(): string {
    const text = plainText(this.#pieces.join(''))
    this.#pieces = []
    this.#length = 0
    return text
  }
}

/** Memory in bytes that a text needs in addition to its characters */
const OVERHEAD = 40

/**
 * Returns the texts that cells refer to by number.
 *
 * @throws FileError  if they would need too much memory
 */
async function sharedStrings(chunks: AsyncIterable<Buffer>): Promise<string[]> {
  const texts: string[] = []
  const runs = new TextRuns()
  let size = 0
  await readXml(chunks, {
    open: (name) => runs.open(name),
    text: (text) => runs.text(text),
    close(name) {
      runs.close(name)
      if (name !== 'si') return
      const text = ownCopy(runs.take())
      size += text.length * 2 + OVERHEAD
      if (size > MOST_SHARED) throw new FileError('sheets.errors.bomb')
      texts.push(text)
    },
  })
  return texts
}

/* Maximum number of sheets that a message lists */
const MOST_NAMED = 20

/** Data of a workbook that is read before a sheet */
export interface Workbook {
  /** Name of the ZIP part of the sheet */
  part: string
  strings: readonly string[]
  styles: ReadonlyArray<Moment | null>
  isFrom1904: boolean
}

interface SheetEntry extends Sheet {
  /** Id of the sheet's relation; null for an entry without one */
  id: string | null
}

interface Relation {
  type: string
  target: string
}

/** Structure of a workbook, without the texts and styles that cells refer to */
export interface Outline {
  /** Name of the ZIP part of the sheet */
  part: string
  /** Name of the sheet */
  sheet: string
  sheets: Sheet[]
  isFrom1904: boolean
  /** Returns the name of the part with a relation type; null if there is none */
  partOf: (type: string) => string | null
}

/**
 * @param wanted  name of the sheet. Default: the first visible sheet
 * @throws FileError  if the file is not a workbook, or has no such sheet
 */
export async function readOutline(parts: ZipParts, wanted?: string): Promise<Outline> {
  const outer = await relationsOf(parts, '')
  const book = [...outer.values()].find(({ type }) => type === 'officeDocument')?.target
  if (book === undefined || !parts.has(book)) throw new FileError('sheets.errors.noSheet')
  const relations = await relationsOf(parts, book)
  const { entries, isFrom1904 } = await sheetsOf(parts, book)
  const tables = entries.filter(({ id }) => relations.get(id ?? '')?.type === 'worksheet')
  const { id, name } = chosenSheet(tables, wanted)
  const { target } = relations.get(id!)!
  if (!parts.has(target)) throw new FileError('sheets.errors.noSheet')
  const partOf = (type: string) => {
    const part = [...relations.values()].find((one) => one.type === type)?.target
    return part !== undefined && parts.has(part) ? part : null
  }
  const sheets = tables.map((one) => ({ name: one.name, isHidden: one.isHidden }))
  return { part: target, sheet: name, sheets, isFrom1904, partOf }
}

/** @throws FileError */
export async function readWorkbook(parts: ZipParts, wanted?: string): Promise<Workbook> {
  const { isFrom1904, part, partOf } = await readOutline(parts, wanted)
  const strings = partOf('sharedStrings')
  const styles = partOf('styles')
  return {
    part,
    strings: strings === null ? [] : await sharedStrings(stored(parts, strings, MOST_SHARED_XML)),
    styles: styles === null ? [] : await dateStyles(stored(parts, styles)),
    isFrom1904,
  }
}

function chosenSheet(tables: readonly SheetEntry[], wanted: string | undefined): SheetEntry {
  if (tables.length === 0) throw new FileError('sheets.errors.noSheet')
  if (wanted === undefined) return tables.find(({ isHidden }) => !isHidden) ?? tables[0]
  const found = tables.find(({ name }) => name === wanted)
  if (found) return found
  const sheets = tables.slice(0, MOST_NAMED).map(({ name }) => name)
  throw new FileError('sheets.errors.unknownSheet', { sheet: wanted, sheets: sheets.join(', ') })
}

async function sheetsOf(parts: ZipParts, book: string) {
  const entries: SheetEntry[] = []
  let isFrom1904 = false
  await readXml(stored(parts, book), {
    open(name, attributes) {
      if (name === 'workbookPr') isFrom1904 = ['1', 'true'].includes(attributes.date1904)
      if (name !== 'sheet') return
      if (entries.length === MOST_SHEETS) throw new FileError('sheets.errors.bomb')
      const key = Object.keys(attributes).find((one) => one.endsWith(':id'))
      const isHidden = ['hidden', 'veryHidden'].includes(attributes.state)
      const id = key === undefined ? null : attributes[key]
      entries.push({ id, name: (attributes.name ?? '').slice(0, LONGEST_SHEET), isHidden })
    },
    close() {},
  })
  return { entries, isFrom1904 }
}

/** Returns the relations of a part by id; an empty name stands for the whole file. */
async function relationsOf(parts: ZipParts, name: string): Promise<Map<string, Relation>> {
  const { base, dir } = posix.parse(name)
  const found = new Map<string, Relation>()
  const path = posix.join(dir, '_rels', `${base}.rels`)
  if (!parts.has(path)) return found
  await readXml(stored(parts, path), {
    open(element, { Id, Type = '', Target = '', TargetMode }) {
      if (element !== 'Relationship' || TargetMode === 'External') return
      const target = Target.startsWith('/') ? Target.slice(1) : posix.join(dir, Target)
      found.set(Id, { type: posix.basename(Type), target })
    },
    close() {},
  })
  return found
}

function stored(parts: ZipParts, name: string, most = STORED_MAX): AsyncGenerator<Buffer> {
  if (parts.sizeOf(name) > most) throw new FileError('sheets.errors.bomb')
  return parts.read(name)
}
