import type { Column } from '../../columns/column.js'
import type { ColumnKind } from '../../columns/column_kind.js'
import { localTimeSql } from '../zone_offsets.js'

type Operand = (name: string) => string

const IS_NUMBER = (name: string) => `typeof(${name}) in ('integer', 'real')`

/* Reads large numbers as milliseconds: those of times after 1973 exceed the seconds of the year 5138. */
const SECONDS = (name: string) =>
  `case when abs(${name}) >= 100000000000 then ${name} / 1000.0 else ${name} end`

/* Excludes other texts that SQLite parses as datetimes: a time alone, "now", a 30th of February. */
const BEGINS_WITH_DAY = (name: string) =>
  `${name} glob '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]*' and date(substr(${name}, 1, 10)) = substr(${name}, 1, 10)`

const TRUE_TEXTS = "'1', 'true', 't', 'yes', 'y', 'on'"
const FALSE_TEXTS = "'0', 'false', 'f', 'no', 'n', 'off'"

/** Expressions that convert other forms to the usual form; a value that cannot be converted is unchanged. */
const FORMS: Partial<Record<ColumnKind, Operand>> = {
  datetime: (name) => `case
    when ${IS_NUMBER(name)} then coalesce(datetime(${SECONDS(name)}, 'unixepoch'), ${name})
    when ${BEGINS_WITH_DAY(name)} then coalesce(datetime(${name}), ${name})
    else ${name} end`,
  date: (name) => `case
    when ${IS_NUMBER(name)} then coalesce(date(${SECONDS(name)}, 'unixepoch'), ${name})
    when ${BEGINS_WITH_DAY(name)} then substr(${name}, 1, 10)
    else ${name} end`,
  time: (name) =>
    `case when ${name} glob '[0-2][0-9]:[0-5][0-9]' then ${name} || ':00' else ${name} end`,
  boolean: (name) => `case
    when ${IS_NUMBER(name)} then ${name} <> 0
    when lower(${name}) in (${TRUE_TEXTS}) then 1
    when lower(${name}) in (${FALSE_TEXTS}) then 0
    else ${name} end`,
  integer: numeric,
  number: numeric,
  text: textual,
  uuid: textual,
}

/**
 * Returns the expression for a numeral that is stored as text, as `isNumeral` recognizes it; SQLite itself would read
 * 2024 from `2024-01-05`, and 0 from `-`.
 */
function numeric(name: string): string {
  const text = `trim(${name})`
  const digits = `ltrim(${text}, '-')`
  const isPlain = `${digits} glob '[0-9]*' and ${digits} not glob '*[^0-9.]*' and ${digits} not glob '*.*.*' and ${text} not glob '--*'`
  /* Valid JSON that begins and ends like a number */
  const isExponential = `${digits} glob '[0-9]*' and json_valid(${text})`
  return `case when typeof(${name}) = 'text' and ${text} glob '*[0-9]' and (${isPlain} or ${isExponential})
    then cast(${name} as numeric) else ${name} end`
}

function textual(name: string): string {
  return `case when ${IS_NUMBER(name)} then cast(${name} as text) else ${name} end`
}

/**
 * Returns the column's value in the form in which it is compared, sorted and returned. A column that contains only the
 * usual form is compared as stored, so that its indexes are used.
 *
 * @param name  name of the column, as in a statement
 */
export function operandOf(
  name: string,
  column: Pick<Column, 'kind'> & Partial<Pick<Column, 'hasOtherForms'>>
): string {
  const form = column.hasOtherForms ? FORMS[column.kind] : undefined
  return form ? `(${form(name)})` : name
}

/**
 * Returns the local time of a datetime; a value that is not a datetime is unchanged. The form of the value is found out
 * once, in a subquery, and not for each comparison.
 */
export function sqliteLocalTime(
  name: string,
  column: Pick<Column, 'kind' | 'hasOtherForms'>,
  zone: string | undefined
): string {
  const operand = operandOf(name, column)
  const moment = operand === name ? name : 'crud_moment'
  const local = localTimeSql(
    moment,
    column,
    zone,
    (seconds) => `'${seconds} seconds'`,
    (time, offset) => `coalesce(datetime(${time}, ${offset}), ${time})`
  )
  if (local === moment) return operand
  return moment === name ? local : `(select ${local} from (select ${operand} as ${moment} limit 1))`
}

/* Functions that return a text in the usual form unchanged, and null or another text for any other value */
const USUAL: Partial<Record<ColumnKind, string>> = {
  date: 'date',
  datetime: 'datetime',
  time: 'time',
}

/** Returns the condition that a value is not in the usual format of the kind. Only for dates and times. */
export function unusual(name: string, kind: ColumnKind): string | undefined {
  return kind in USUAL ? `${USUAL[kind]}(${name}) is not ${name}` : undefined
}

/** Returns the condition that a value belongs to the kind, but is not in its usual format. */
export function otherForm(name: string, kind: ColumnKind): string | undefined {
  const form = FORMS[kind]?.(name)
  if (!form) return undefined
  /* Without the plus, a text column would convert both sides to text. */
  const isOther = `(${form}) is not +${name}`
  /* Numbers, nulls and usual texts are tested first, because these tests are faster. */
  const test = unusual(name, kind)
  return test ? `(${IS_NUMBER(name)} or (${name} is not null and ${test} and ${isOther}))` : isOther
}

/**
 * Returns the condition that excludes values of another kind from `<`, `<=`, `>` and `>=`. SQLite sorts numbers before
 * texts and texts before bytes, so only one end needs the condition. The plus prevents SQLite from choosing an index
 * for this condition.
 *
 * @param isUsual  true if no date or time is invalid
 * @returns undefined if the comparison itself excludes these values
 */
export function comparable(
  operand: string,
  kind: ColumnKind,
  operator: '<' | '<=' | '>' | '>=',
  isUsual = false
): string | undefined {
  const isTime = kind in USUAL
  if (isTime && !isUsual) return `${USUAL[kind]}(${operand}) is ${operand}`
  const isText = isTime || kind === 'text' || kind === 'uuid'
  if (operator.startsWith('<')) return isText ? `+${operand} >= ''` : undefined
  if (isTime) return undefined
  return isText ? `+${operand} < x''` : `+${operand} < ''`
}
