import { isList, isObject, LABEL, POSITIVE, TEXT, TEXTS, type Check } from '#base/checks'

/** Number of blank rows in a form without JavaScript */
export const DEFAULT_UNUSED_ROWS = 3

/** Options of an inline: `hasMany` or `hasOne` rows in the form of their parent. */
export interface InlineOptions {
  /** Name of the relation */
  relation: string
  /** Heading of the rows. Default: the plural of the related model */
  label?: string
  /**
   * API names of the columns of a row, in order. Default: the fields of the related model's form, without files and
   * the foreign key
   */
  fields?: Iterable<string>
  /** API name of a number column that stores the order of the rows, as 1, 2, 3 and so on */
  sort?: string
  /** Number of blank rows without JavaScript. Default: 3 */
  spare?: number
  /** Figures below the rows, such as `amount:sum`. Default: `summaries` of the related model */
  summaries?: Iterable<string>
}

/** The options, or only the name of the relation. */
export type InlineOption = string | InlineOptions

/** Checks the shape of summaries such as `us_gross:sum`. */
export const SUMMARIES: Check = [
  (value) =>
    isList(value, (one) => typeof one === 'string' && /^[^:,]+:(?:sum|avg|min|max)$/.test(one)),
  "a list of columns with sum, avg, min or max, as in ['us_gross:sum']",
]

const COUNT: Check = [
  (value) => value === 0 || (POSITIVE[0](value) && value <= 20),
  'a number from 0 to 20',
]

const CHECKS: Record<keyof Required<InlineOptions>, Check> = {
  relation: LABEL,
  label: LABEL,
  fields: TEXTS,
  sort: TEXT,
  spare: COUNT,
  summaries: SUMMARIES,
}

/** Checks the shape of the option `inlines`. The names in it are checked when all models are known. */
export const INLINES: Check = [
  (value) => isList(value, isInline),
  "a list of relations' names and of objects as { relation: 'items', fields: ['quantity'], sort: 'position' }",
]

/** Returns the option with every inline as an object. */
export function inlineOptions(option: Iterable<InlineOption> | undefined): InlineOptions[] {
  return [...(option ?? [])].map((one) => (typeof one === 'string' ? { relation: one } : one))
}

function isInline(value: unknown): boolean {
  if (typeof value === 'string') return LABEL[0](value)
  if (!isObject(value) || !('relation' in value)) return false
  return Object.entries(value).every(([name, one]) => {
    const check = Object.hasOwn(CHECKS, name) ? CHECKS[name as keyof InlineOptions] : undefined
    return check !== undefined && (one === undefined || check[0](one))
  })
}
