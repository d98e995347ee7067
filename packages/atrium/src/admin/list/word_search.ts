import { isStorableText } from '#base/values/text'
import type { Column } from '#base/columns/column'
import type { Condition } from '#base/columns/condition'
import type { ModelView } from '../model_view.js'
import { isSearchable, searchCondition } from './search_condition.js'
import type { TitleSearches } from './title_search.js'

/* Each word is looked for in each column of each row. */
const MOST_WORDS = 10
const LONGEST_TEXT = 200

/* In a search of all columns, `1` and `t` are not booleans: they would find half of all records. */
const BOOLEAN_WORDS = ['true', 'false', 'yes', 'no']

/**
 * Columns that the list can be searched by.
 */
export function searchableColumns({ resource, options }: ModelView): Column[] {
  const chosen = options.searchableColumns && new Set(options.searchableColumns)
  return resource.fields.filter(
    (column) => (chosen?.has(column.apiName) ?? true) && isSearchable(column)
  )
}

/**
 * The words of a text, each once.
 */
export function wordsOf(text: string): string[] {
  return [...new Set(text.split(/\s+/u).filter((word) => word !== ''))]
}

/**
 * Conditions of the records in which each word is in any searchable column, as in a search of that column
 * alone, or in the title of what the column refers to. [L4]
 *
 * @param text  not empty
 * @returns null if the text can't be searched for: too many words, too many letters, or too many titles
 */
export function wordConditions(
  view: ModelView,
  text: string,
  titles: TitleSearches
): Condition[] | null {
  const words = wordsOf(text)
  const columns = searchableColumns(view)
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
      /* A text column could hold the word, but it is too costly to look for. */
      if (!found && column.kind === 'text') return null
      const titled = titles.get(column.apiName)?.(word)
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
