import string from '@adonisjs/core/helpers/string'
import type { Item, Resource } from '#crud'
import type { Column } from '#base/columns/column'

const PART = /\{([^{}]+)\}/g

/* Placeholders of a value and of an empty part while punctuation is removed; no title contains control characters. */
const VALUE = '\u0001'
const EMPTY = '\u0000'

/* Punctuation and spaces: all characters except letters, digits, brackets and the two placeholders */
const BETWEEN = `[^\\p{L}\\p{N}\\u0000\\u0001()[\\]{}«»“”]`
const IN_BRACKETS = new RegExp(`${BETWEEN}*[([{«“]${BETWEEN}*${EMPTY}${BETWEEN}*[)\\]}»”]`, 'gu')
const WITH_BEFORE = new RegExp(`${BETWEEN}+${EMPTY}|${EMPTY}${BETWEEN}*`, 'u')

/** Returns true for a title that is made of several columns, such as `{name}, {country}`. */
export function isTitleTemplate(title: unknown): title is string {
  return typeof title === 'string' && title.includes('{')
}

/** Returns the API names of the columns in a template, each once. */
export function namesInTitle(template: string): string[] {
  return [...new Set([...template.matchAll(PART)].map(([, name]) => name.trim()))]
}

/**
 * Fills in a template. An empty part is left out with the punctuation around it: `{name} ({year})` without a year is
 * the name.
 *
 * @param textOf  returns the text of a column; empty if there is none
 */
export function filledTitle(template: string, textOf: (name: string) => string): string {
  const texts: string[] = []
  let shape = template.replace(PART, (_, name: string) => {
    const text = textOf(name.trim())
    if (text === '') return EMPTY
    texts.push(text)
    return VALUE
  })
  while (shape.includes(EMPTY)) {
    const without = shape.replace(IN_BRACKETS, '')
    shape = without === shape ? shape.replace(WITH_BEFORE, '') : without
  }
  if (texts.length === 0) return ''
  let index = 0
  return shape.replaceAll(VALUE, () => texts[index++]).trim()
}

/* Names of columns that usually contain the title of a record, in order of preference */
const TITLES = ['title', 'name', 'label', 'username', 'subject', 'email', 'code', 'number', 'sku']

/**
 * Returns the columns that make the titles of a model: several for a template, none for a function.
 *
 * @param title  option of the view; default: a column with a usual name, otherwise the first text
 */
export function titleColumns(
  { columns, fields, isLoaded }: Pick<Resource, 'columns' | 'fields' | 'isLoaded'>,
  title: string | ((item: Item) => string) | undefined
): Column[] {
  if (typeof title === 'function') return []
  const named = (name: string) => fields.find(({ apiName }) => apiName === name) ?? []
  if (isTitleTemplate(title)) return namesInTitle(title).flatMap(named)
  const column = title === undefined ? usualTitle(fields, isLoaded) : columns.find(title)
  return column ? [column] : []
}

/* Cached by the fields of a resource, as the title column is looked up for each choice of a reference */
const USUAL = new WeakMap<readonly Column[], Column | undefined>()

/**
 * Returns the default title column; undefined if no column is a text.
 *
 * @param isLoaded  true if the types of the columns are known, so that the result can be cached
 */
function usualTitle(fields: readonly Column[], isLoaded: boolean): Column | undefined {
  if (!isLoaded) return findUsualTitle(fields)
  if (!USUAL.has(fields)) USUAL.set(fields, findUsualTitle(fields))
  return USUAL.get(fields)
}

function findUsualTitle(fields: readonly Column[]): Column | undefined {
  const texts = fields.filter(
    ({ isText, isPrimary, apiName }) => isText && !isPrimary && !isDateName(apiName)
  )
  return texts.find(({ apiName }) => TITLES.includes(apiName)) ?? texts[0]
}

/** Returns true for the name of a date column. Needed because dates in SQLite views have the type text. */
function isDateName(apiName: string): boolean {
  return /(?:^|_)(?:date|datetime|day|time|timestamp|at|on)$/.test(string.snakeCase(apiName))
}

/**
 * Returns the title in an item; empty if it has none.
 *
 * @param title    option of the view
 * @param columns  columns of the title that the user can see
 */
export function titleIn(
  item: Item,
  title: string | ((item: Item) => string) | undefined,
  columns: readonly Column[]
): string {
  if (typeof title === 'function') return trimmed(title(item))
  if (!isTitleTemplate(title)) return trimmed(item[columns[0]?.apiName ?? ''])
  const seen = new Set(columns.map(({ apiName }) => apiName))
  return filledTitle(title, (name) => (seen.has(name) ? trimmed(item[name]) : ''))
}

function trimmed(value: unknown): string {
  return value === null || value === undefined ? '' : String(value).trim()
}
