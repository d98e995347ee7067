import type { Column } from '../../columns/column.js'
import type { SumExpression } from '../dialect.js'
import { operandOf } from './sqlite_operand.js'

/*
 * SQLite stores decimals as 64-bit floats, whose first 15 digits are exact, and its sum of 64-bit integers fails when
 * it exceeds 64 bits. Sums are therefore made of integers: the digits of each value are split in groups of nine.
 */

const GROUP = 1_000_000_000

/* Floats from here on are beyond 64-bit integers. */
const BEYOND = '9e18'

const NUMBERS = "'integer', 'real'"

/** Returns the expressions whose values, each times a power of ten, make the exact sum. */
export function sqliteSum(name: string, column: Column): SumExpression[] {
  return column.hasOtherForms ? sumOfTexts(name) : sumOfNumbers(name)
}

/* Decimals of numbers in a column without a scale, for a quick sum */
const USUAL_SCALE = 4

/**
 * Returns the sum of numbers with at most 15 digits and the decimals of the column, in units of its last decimal, and
 * the expression that is true if all values are such numbers. SQLite sums these whole floats with compensation, so that
 * the sum is exact if it is a safe integer; a sum of integers could fail as it exceeds 64 bits.
 */
export function sqliteQuickSum(name: string, column: Column) {
  if (column.hasOtherForms) return undefined
  const scale = column.kind === 'integer' ? 0 : (column.decimalRange?.scale ?? USUAL_SCALE)
  const factor = `1e${scale}`
  const units = `round(${name} * ${factor})`
  const bound = `1e${15 - scale}`
  return {
    sum: { sql: `sum(${units})`, exponent: -scale },
    isExact: `min(${name} between -${bound} and ${bound} and ${units} / ${factor} = ${name})`,
  }
}

/** Returns the expression for the value if it is of the column's type, otherwise null; any row can hold any value. */
export function sqliteMeasure(name: string, column: Column): string {
  const value = operandOf(name, column)
  const types = column.kind === 'integer' || column.kind === 'number' ? NUMBERS : "'text'"
  return `case when typeof(${value}) in (${types}) then ${value} end`
}

function sumOfNumbers(name: string): SumExpression[] {
  const whole = `cast(${name} as integer)`
  /* Numbers sort before all texts, and this comparison takes less time than `typeof`. */
  const isNumber = `${name} < ''`
  const hasFraction = `${isNumber} and ${name} <> ${whole}`
  const isBeyond = `max(case when ${hasFraction} then abs(${name}) end) >= ${BEYOND}`
  const sum = (condition: string, value: string, inexact = '0') =>
    `case when ${isBeyond} then ${inexact}
      else cast(sum(case when ${condition} then ${value} end) as text) end`
  const total = `total(case when ${isNumber} then ${name} end) / ${GROUP}.0`
  const { isShort, short, long } = fractionOf(name, whole)
  return [
    { sql: sum(isNumber, `${whole} / ${GROUP}`, total), exponent: 9 },
    { sql: sum(isNumber, `${whole} % ${GROUP}`), exponent: 0 },
    {
      sql: sum(hasFraction, `case when ${isShort} then ${short} else ${long} / 1000000 end`),
      exponent: -9,
    },
    { sql: sum(`${hasFraction} and not (${isShort})`, `${long} % 1000000`), exponent: -15 },
  ]
}

/**
 * Returns the digits after the decimal point of a float: `short` in units of 1e-9 if there are at most four digits,
 * which requires no conversion to text, and `long` in units of 1e-15.
 */
function fractionOf(name: string, whole: string) {
  const scaled = `cast(${name} * 1e4 + case when ${name} < 0 then -0.5 else 0.5 end as integer)`
  const digits = `case ${whole} when 0 then 0 else length(ltrim(${whole}, '-')) end`
  const rounded = `round(${name} - ${whole}, max(0, 15 - (${digits})))`
  return {
    isShort: `abs(${name}) < 1e10 and ${scaled} / 1e4 = ${name}`,
    short: `${scaled} % 10000 * 100000`,
    long: `cast(round(${rounded} * 1e15) as integer)`,
  }
}

/** Sums a column of texts by their digits: up to 27 before the decimal point, and 18 after it. */
function sumOfTexts(name: string): SumExpression[] {
  const whole = `cast(${name} as integer)`
  const numeral = `case typeof(${name})
    when 'integer' then cast(${name} as text)
    when 'real' then printf('%.*f', max(0, 15 - length(ltrim(${whole}, '-'))), ${name})
    when 'text' then case when ${plainNumeral(`trim(${name})`)} then trim(${name})
      when json_valid(${name}) and json_type(${name}) in ('integer', 'real')
        then printf('%.15f', cast(${name} as real)) end
    end`
  const digits = `ltrim(${numeral}, '-')`
  const point = `instr(${digits} || '.', '.')`
  const before = `substr(${digits}, 1, ${point} - 1)`
  const after = `(substr(${digits}, ${point} + 1) || '000000000000000000')`
  const sum = (value: string) =>
    `cast(sum(case when ${numeral} like '-%' then -1 else 1 end * cast(${value} as integer)) as text)`
  return [
    { sql: sum(`substr(${before}, 1, max(0, length(${before}) - 9))`), exponent: 9 },
    { sql: sum(`substr(${before}, -9)`), exponent: 0 },
    { sql: sum(`substr(${after}, 1, 9)`), exponent: -9 },
    { sql: sum(`substr(${after}, 10, 9)`), exponent: -18 },
  ]
}

function plainNumeral(text: string): string {
  const digits = `ltrim(${text}, '-')`
  return `${digits} glob '[0-9]*' and ${digits} glob '*[0-9]' and ${digits} not glob '*[^0-9.]*'
    and ${digits} not glob '*.*.*' and ${text} not glob '--*'`
}
