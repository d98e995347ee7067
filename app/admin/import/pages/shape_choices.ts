import type { AdminSite } from '../../admin_site.js'
import type AdminImport from '../../models/admin_import.js'

/** Offered beside the one that was found, by their names in the WHATWG standard */
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
 * A file's format, encoding and delimiter, with choices where they can be corrected. [D3]
 */
export function shapeChoices(site: AdminSite, { shape }: AdminImport) {
  const { delimiter, encoding, format, isGuess } = shape
  const nameOf = (one: string) => {
    const name = DELIMITERS.get(one)
    return name ? site.text(`import.delimiters.${name}`) : one
  }
  const known = [encoding, delimiter === null ? null : nameOf(delimiter)]
  const words = [site.text(`import.formats.${format}`), ...known.filter((one) => one !== null)]
  return {
    words: words.join(' · '),
    isGuess,
    encodings: choices(ENCODINGS, encoding, (one) => one),
    delimiters: choices([...DELIMITERS.keys()], delimiter, nameOf),
  }
}

/** None where nothing was found; what was found is among them. */
function choices(
  offered: readonly string[],
  found: string | null,
  labelOf: (one: string) => string
) {
  if (found === null) return []
  const all = [...new Set([...offered, found])]
  return all.map((value) => ({ value, label: labelOf(value), selected: value === found }))
}
