import { distance } from 'fastest-levenshtein'
import { fromQuery } from '#base/values/from_query'
import type { Resource } from '#crud/internals'
import type { ImportMapping } from '../models/admin_import.js'
import type { Cell, FileShape } from '../sheets/file_shape.js'
import type { KnownField } from './import_fields.js'

/** Suffix that an export with `titles=1` adds to the name of a reference. */
const TITLE_SUFFIX = '__title'

/* Maximum length of a heading that is compared; longer ones are not misspelt names, and comparing them is slow. */
const LONGEST_HEADING = 100

interface Guess {
  field: KnownField
  by: 'key' | 'title'
}

/**
 * Guesses the field of each column of a file: by API name, by label, by the heading of a reference's titles, then by
 * similar names. No field is guessed twice.
 */
export function guessMapping(
  fields: readonly KnownField[],
  { columns: headings, samples }: Pick<FileShape, 'columns' | 'samples'>
): ImportMapping {
  const columns = headings.map((): string | null => null)
  const by: ImportMapping['by'] = {}
  const taken = new Set<string>()
  for (const find of [byName, byLabel, byRelation, byLikeness]) {
    headings.forEach((heading, index) => {
      if (columns[index] !== null || heading.length > LONGEST_HEADING) return
      const cells = samples.map((row) => row[index])
      const left = fields.filter(({ name }) => !taken.has(name))
      const guess = find(left, heading, cells)
      if (!guess) return
      const { field } = guess
      columns[index] = field.name
      taken.add(field.name)
      if (field.isReference) by[index] = guess.by
    })
  }
  return { columns, by }
}

/**
 * Guesses the fields that identify the record of a row: the primary key if the file has it, otherwise a unique field,
 * otherwise a unique group of fields; null if there is none.
 */
export function guessKey(
  { columns, key, wholeKeys }: Resource,
  fields: readonly KnownField[],
  mapping: ImportMapping
): string | null {
  const mapped = fields.filter(({ name }) => mapping.columns.includes(name))
  const nameOf = (column: string) => mapped.find((field) => field.column?.name === column)?.name
  const candidates = [
    key.columns.map(({ name }) => name),
    ...wholeKeys.toSorted((one, other) => one.length - other.length),
  ]
  for (const names of candidates) {
    const known = names.every((name) => columns.all.some((one) => one.name === name && !one.hidden))
    const found = names.map(nameOf)
    if (known && found.length > 0 && !found.includes(undefined)) return found.join(',')
  }
  return null
}

type Find = (fields: readonly KnownField[], heading: string, cells: Cell[]) => Guess | undefined

const byName: Find = (fields, heading, cells) => {
  const field = fields.find(({ name }) => name === heading.trim())
  return field && { field, by: meant(field, cells) }
}

const byLabel: Find = (fields, heading, cells) => {
  const word = plain(heading)
  const named = fields.filter(({ name, label }) => plain(name) === word || plain(label) === word)
  return named.length === 1 ? { field: named[0], by: meant(named[0], cells) } : undefined
}

const byRelation: Find = (fields, heading, cells) => {
  const word = plain(heading)
  const field = fields.find(
    ({ name, isReference, relation }) =>
      isReference && (plain(name + TITLE_SUFFIX) === word || plain(relation ?? '') === word)
  )
  return field && { field, by: meant(field, cells) }
}

const byLikeness: Find = (fields, heading, cells) => {
  const word = plain(heading)
  if (word.length < 4) return undefined
  const most = Math.floor(word.length / 4)
  const near = fields
    .map((field) => ({ field, far: farFrom(field, word) }))
    .filter(({ far }) => far <= most)
    .toSorted((one, other) => one.far - other.far)
  const [first, second] = near
  if (!first || first.far === second?.far) return undefined
  return { field: first.field, by: meant(first.field, cells) }
}

function farFrom({ label, name }: KnownField, word: string): number {
  return Math.min(distance(plain(name), word), distance(plain(label), word))
}

/** Returns whether a column of a reference contains keys or titles: titles if some cells cannot be keys. */
function meant({ hasTitles, reference }: KnownField, cells: Cell[]): 'key' | 'title' {
  if (!reference || !hasTitles) return 'key'
  const filled = cells.filter((cell) => cell !== null && cell !== undefined && cell !== '')
  const isKey = (cell: Cell) => fromQuery(reference.target, String(cell)) !== null
  return filled.every(isKey) ? 'key' : 'title'
}

/** Returns letters and digits only, in lower case, so that `Release Date` and `release_date` are equal. */
function plain(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '')
}
