import type { HttpContext } from '@adonisjs/core/http'
import { sentTexts, singleText } from '../../http/form_texts.js'
import { DATE_ORDERS, type DateOrder } from '../../sheets/date_order.js'
import { presentZone } from '../../time/time_zone.js'
import type { ChosenColumns } from '../imports.js'
import type { ChosenShape, FileShape } from '../../sheets/file_shape.js'
import type { Site } from '../../views/site.js'
import type AdminImport from '../../models/admin_import.js'

/** Prefix of the number of a column in the names of the form's fields */
export const COLUMN = 'column.'

/** Suffix of a field name: the column of the file contains titles of the referenced records instead of keys */
const TITLE = ':title'

/**
 * Reads the form. Names of fields are not checked, because the engine does so.
 *
 * @param count  number of the file's columns
 */
export function readColumns(
  ctx: HttpContext,
  count: number
): Required<Omit<ChosenColumns, 'values'>> {
  const texts = sentTexts(ctx)
  const columns: Record<number, string | null> = {}
  const by: Record<number, 'key' | 'title'> = {}
  for (let index = 0; index < count; index++) {
    const chosen = singleText(texts, COLUMN + index) ?? ''
    const isTitle = chosen.endsWith(TITLE)
    columns[index] = (isTitle ? chosen.slice(0, -TITLE.length) : chosen) || null
    if (columns[index] !== null) by[index] = isTitle ? 'title' : 'key'
  }
  const order = singleText(texts, 'date_order') as DateOrder
  return {
    columns,
    by,
    key: singleText(texts, 'key') || null,
    dateOrder: DATE_ORDERS.includes(order) ? order : null,
    zone: singleText(texts, 'zone') || presentZone(),
  }
}

/** Returns the value of an option for a field, as parsed by `readColumns`. */
export function choiceOf(name: string, by: 'key' | 'title'): string {
  return by === 'title' ? name + TITLE : name
}

/**
 * Reads the form with which a file is read again. An unchanged heading is used only if all other settings are unchanged
 * as well, because another sheet has another heading.
 */
export function readShape(ctx: HttpContext, shape: FileShape): ChosenShape {
  const sent = sentTexts(ctx)
  const encoding = singleText(sent, 'encoding')
  const sheet = singleText(sent, 'sheet')
  /* Not trimmed, as a tab is a delimiter. */
  const delimiter = sent.get('delimiter')?.at(0)
  const line = singleText(sent, 'heading')
  const heading = line === undefined || line === '' ? undefined : Number(line)
  const isSame =
    (encoding ?? shape.encoding) === shape.encoding &&
    (sheet ?? shape.sheet) === shape.sheet &&
    (delimiter ?? shape.delimiter) === shape.delimiter
  const isStored = isSame || heading !== headingOf(shape)
  return { encoding, sheet, delimiter, heading: isStored ? heading : undefined }
}

/** Returns the line of a table's heading; undefined for other formats. */
function headingOf({ firstRows, heading }: FileShape): number | undefined {
  return heading ?? firstRows?.[0]?.line
}

/** Encodings offered in addition to the detected one, by their names in the WHATWG standard */
const ENCODINGS = [
  'utf-8',
  'windows-1252',
  'iso-8859-15',
  'windows-1250',
  'windows-1251',
  'macintosh',
  'utf-16le',
  'utf-16be',
]

/** Offered delimiters, with their names in the catalogue */
const DELIMITERS = new Map([
  [',', 'comma'],
  [';', 'semicolon'],
  ['\t', 'tab'],
  ['|', 'bar'],
])

/** Returns how a file is read, with options for correcting it. */
export function shapeChoices(site: Site, { shape }: AdminImport) {
  const { delimiter, encoding, isGuess, sheet, sheets = [] } = shape
  const nameOf = (one: string) => {
    const name = DELIMITERS.get(one)
    return name ? site.text(`import.delimiters.${name}`) : one
  }
  const heading = headingOf(shape)
  const isMoved = (shape.heading ?? 1) > 1
  const hidden = new Set(sheets.filter(({ isHidden }) => isHidden).map(({ name }) => name))
  const labelOfSheet = (name: string) =>
    hidden.has(name) ? site.text('import.shape.hidden', { sheet: name }) : name
  return {
    words: shapeWords(site, shape, nameOf),
    isGuess,
    /* Expands the options if the detected settings are often wrong */
    isDoubtful: isGuess || isMoved || sheets.length > 1,
    note: isMoved ? site.text('import.shape.moved', { line: heading }) : null,
    encodings: choices(ENCODINGS, encoding, (one) => one),
    delimiters: choices([...DELIMITERS.keys()], delimiter, nameOf),
    sheets: choices(sheets.length > 1 ? sheets.map(({ name }) => name) : [], sheet, labelOfSheet),
    headings: headingChoices(site, shape),
  }
}

function shapeWords(
  site: Site,
  { delimiter, encoding, format, sheet }: AdminImport['shape'],
  nameOf: (delimiter: string) => string
): string {
  const known = [encoding, delimiter === null ? null : nameOf(delimiter), sheet ?? null]
  const words = [site.text(`import.formats.${format}`), ...known.filter((one) => one !== null)]
  return words.join(' · ')
}

/** Returns the first rows as options; none for a file with only one row. */
function headingChoices(site: Site, shape: AdminImport['shape']) {
  const { firstRows = [] } = shape
  if (firstRows.length < 2) return []
  return firstRows.map(({ line, text }) => ({
    value: String(line),
    label: site.text('import.shape.row', { line, text }),
    selected: line === headingOf(shape),
  }))
}

/** Returns the options, including the detected one; none if nothing was detected. */
function choices(
  offered: readonly string[],
  found: string | null | undefined,
  labelOf: (one: string) => string
) {
  if (found === null || found === undefined || offered.length === 0) return []
  const all = [...new Set([...offered, found])]
  return all.map((value) => ({ value, label: labelOf(value), selected: value === found }))
}
