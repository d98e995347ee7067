import type { AdminSite } from '../../admin_site.js'
import type AdminImport from '../../models/admin_import.js'
import { headingOf } from './shape_form.js'

/** Offered in addition to the one that was found, by their names in the WHATWG standard */
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

/** By their names in the catalogue */
const DELIMITERS = new Map([
  [',', 'comma'],
  [';', 'semicolon'],
  ['\t', 'tab'],
  ['|', 'bar'],
])

/**
 * How a file is read, with choices where that can be corrected. [D3]
 */
export function shapeChoices(site: AdminSite, { shape }: AdminImport) {
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
    /* Opens the choices where something was guessed that is often wrong */
    isDoubtful: isGuess || isMoved || sheets.length > 1,
    note: isMoved ? site.text('import.shape.moved', { line: heading }) : null,
    encodings: choices(ENCODINGS, encoding, (one) => one),
    delimiters: choices([...DELIMITERS.keys()], delimiter, nameOf),
    sheets: choices(sheets.length > 1 ? sheets.map(({ name }) => name) : [], sheet, labelOfSheet),
    headings: headingChoices(site, shape),
  }
}

function shapeWords(
  site: AdminSite,
  { delimiter, encoding, format, sheet }: AdminImport['shape'],
  nameOf: (delimiter: string) => string
): string {
  const known = [encoding, delimiter === null ? null : nameOf(delimiter), sheet ?? null]
  const words = [site.text(`import.formats.${format}`), ...known.filter((one) => one !== null)]
  return words.join(' · ')
}

/** The first rows; none for a file with but one. */
function headingChoices(site: AdminSite, shape: AdminImport['shape']) {
  const { firstRows = [] } = shape
  if (firstRows.length < 2) return []
  return firstRows.map(({ line, text }) => ({
    value: String(line),
    label: site.text('import.shape.row', { line, text }),
    selected: line === headingOf(shape),
  }))
}

/** None where nothing was found; what was found is among them. */
function choices(
  offered: readonly string[],
  found: string | null | undefined,
  labelOf: (one: string) => string
) {
  if (found === null || found === undefined || offered.length === 0) return []
  const all = [...new Set([...offered, found])]
  return all.map((value) => ({ value, label: labelOf(value), selected: value === found }))
}
