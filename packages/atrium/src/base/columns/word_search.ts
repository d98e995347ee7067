import { isStorableText } from '../values/text.js'
import type { Column } from './column.js'
import type { Condition } from './condition.js'
import { isSearchable, searchCondition } from './search_condition.js'

/* Maximum number of words, as each word is compared with each column of each row. */
const MOST_WORDS = 10
const LONGEST_TEXT = 200

/*
 * Words for booleans in a search of all columns. `1` and `t` are excluded, as they would match half of all records.
 */
const BOOLEAN_WORDS = ['true', 'false', 'yes', 'no']

const CHOSEN = new WeakMap<object, ReadonlySet<string>>()

/** Limits the API's search of a model to some columns, by API name: `searchableColumns` of `@AdminView`. */
export function searchOnly(model: object, names: Iterable<string>): void {
  CHOSEN.set(model, new Set(names))
}

/** Returns the names that `searchOnly` was called with; undefined for all columns. */
export function searchedNames(model: object): ReadonlySet<string> | undefined {
  return CHOSEN.get(model)
}

/**
 * Returns the columns in which a list is searched: the chosen ones, or all of a searchable type.
 *
 * @param fields  columns that the viewer can see
 */
export function searchedColumns(
  fields: readonly Column[],
  chosen: ReadonlySet<string> | undefined
): Column[] {
  return fields.filter((column) => (chosen?.has(column.apiName) ?? true) && isSearchable(column))
}

/**
 * Returns conditions for records that contain each word in at least one of the columns. A word is compared with a
 * column as in a search of that column alone.
 *
 * @param text       text, not empty
 * @param titleWith  returns the condition that the column refers to a record whose title contains the word
 * @returns null if the search is not possible: no column, too many words or characters, or too many matching titles
 */
export function conditionsOfWords(
  columns: readonly Column[],
  text: string,
  titleWith: (column: Column, word: string) => Condition | 'many' | null | undefined = () => null
): Condition[] | null {
  const words = [...new Set(text.split(/\s+/u).filter((word) => word !== ''))]
  const isReadable =
    columns.length > 0 &&
    words.length <= MOST_WORDS &&
    text.length <= LONGEST_TEXT &&
    isStorableText(text)
  if (!isReadable) return null

  const conditions: Condition[] = []
  for (const word of words) {
    const alternatives: Condition[] = []
    for (const column of columns) {
      const found = wordCondition(column, word)
      /* The column could contain the word, but the search would be too expensive. */
      if (!found && column.kind === 'text') return null
      const titled = titleWith(column, word)
      if (titled === 'many') return null
      for (const one of [found, titled]) if (one) alternatives.push(one)
    }
    conditions.push({ type: 'or', conditions: alternatives })
  }
  return conditions
}

function wordCondition(column: Column, word: string): Condition | null {
  if (column.kind === 'boolean' && !BOOLEAN_WORDS.includes(word.toLowerCase())) return null
  return searchCondition(column, word)
}
