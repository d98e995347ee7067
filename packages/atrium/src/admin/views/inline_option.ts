import { isList, isObject, LABEL, POSITIVE, TEXT, TEXTS, type Check } from '#base/checks'

/** Blank rows of a form in a browser without JavaScript */
export const DEFAULT_UNUSED_ROWS = 3

/**
 * Rows of a `hasMany` or `hasOne` in the form of their parent. [R2]
 */
export interface InlineOptions {
  /** Name of the relation */
  relation: string
  /** Heading of the rows. Default: the plural of the related model */
  label?: string
  /**
   * API names of the row's columns, in their order. Default: the fields of the related model's form, without files
   * and the foreign key
   */
  fields?: Iterable<string>
  /** API name of a number column, by which rows are put in order: it is set to 1, 2, 3, and so on */
  sort?: string
  /** Number of blank rows without JavaScript. Default: 3 */
  spare?: number
}

/** The options, or the name of the relation alone. */
export type InlineOption = string | InlineOptions

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
}

/** Check of the shape of the option `inlines`; the names in it are checked once all models are known. */
export const INLINES: Check = [
  (value) => isList(value, isInline),
  "a list of relations' names and of objects as { relation: 'items', fields: ['quantity'], sort: 'position' }",
]

/**
 * The option with every inline as an object.
 */
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
