import { distance } from 'fastest-levenshtein'
import { fromQuery } from '#base/values/from_query'
import type { Resource } from '#crud/internals'
import type { ImportMapping } from '../models/admin_import.js'
import type { Cell, FileShape } from '../sheets/file_shape.js'
import type { KnownField } from './import_fields.js'

/** The suffix that an export with `titles=1` puts behind the name of a reference. [D2] */
const TITLE_SUFFIX = '__title'

/* Longer headings are not misspelt names, and take time. */
const LONGEST_HEADING = 100

interface Guess {
  field: KnownField
  by: 'key' | 'title'
}

/**
 * Guesses which column of a file is which field: by its name in the API, its label, as a reference's title, then by
 * names that are close. No field is guessed twice. [D3]
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
 * Guesses by which field rows find their records: the primary key if the file has it, else a unique field, else a
 * unique group of them; null if there is none. [D3]
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

/** A reference whose cells can't be keys is meant by its title. */
function meant({ hasTitles, reference }: KnownField, cells: Cell[]): 'key' | 'title' {
  if (!reference || !hasTitles) return 'key'
  const onProgress = cells.filter((cell) => cell !== null && cell !== undefined && cell !== '')
  const isKey = (cell: Cell) => fromQuery(reference.target, String(cell)) !== null
  return onProgress.every(isKey) ? 'key' : 'title'
}

/** Letters and digits alone, in lower case: `Release Date` and `release_date` are the same. */
function plain(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '')
}
