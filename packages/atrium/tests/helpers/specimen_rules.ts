/* Random specimens, and random filters of them. */
import fc from 'fast-check'
import { SPECIMEN_OPERATORS } from '#tests/fixtures/lists'
import { toParameter, type Placed, type Rule } from '#tests/helpers/memory_list'

const NONE: ReadonlySet<string> = new Set()

/** Special characters of query strings, LIKE, GLOB and SQL, and unusual letters. */
const SIGNS = [...`%_\\*?[]^-!'"\`;,:& +#aAbBäÄßẞsſıiİIkKσςΣ😀\u212A\u01C5\u01C6\u0301\uFB05\uFB06`]

const text = fc.string({ unit: fc.constantFrom(...SIGNS), maxLength: 4 })
const two = (number: number) => String(number).padStart(2, '0')
const day = fc
  .tuple(fc.integer({ min: 1999, max: 2001 }), fc.integer({ min: 1, max: 12 }))
  .map(([year, month]) => `${year}-${two(month)}-15`)
const clock = fc
  .tuple(fc.integer({ min: 0, max: 23 }), fc.constantFrom(0, 30, 59))
  .map(([hour, minute]) => `${two(hour)}:${two(minute)}:00`)

/** Values of a column; few, so that they repeat. */
const VALUES: Record<string, fc.Arbitrary<any>> = {
  label: text,
  shade: text,
  amount: fc.oneof(
    fc.integer({ min: -5, max: 5 }),
    fc.constantFrom(Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER, 2 ** 31, -(2 ** 31) - 1)
  ),
  weight: fc.integer({ min: -20, max: 20 }).map((number) => number / 8),
  fresh: fc.boolean(),
  day,
  moment: fc.tuple(day, clock).map((parts) => parts.join(' ')),
  clock,
  mark: fc
    .integer({ min: 0, max: 5 })
    .map((number) => `a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a1${number}`),
}

/** A row of specimens. */
export const specimen = fc.record(
  Object.fromEntries(
    Object.entries(VALUES).map(([column, value]) => [column, fc.option(value, { freq: 5 })])
  )
)

function operandOf(column: string, operator: string): fc.Arbitrary<Rule['operand']> {
  const value = VALUES[column] ?? fc.constant(null)
  /* A backslash at the end of a part would escape the comma after it. */
  const part = value.filter((one) => !String(one).endsWith('\\'))
  switch (operator) {
    case 'is':
    case 'is_not':
      return column === 'fresh' ? fc.option(fc.boolean()) : fc.constant(null)
    case 'in':
    case 'not_in':
      return fc.array(part, { minLength: 1, maxLength: 4 })
    case 'between':
      return fc.tuple(part, part).map((pair) => [...pair])
    case 'like':
    case 'ilike':
    case 'not_like':
    case 'not_ilike':
      return fc.string({ unit: fc.constantFrom(...SIGNS, '%', '%', '_', '_'), maxLength: 4 })
    case 'or': {
      const inner = SPECIMEN_OPERATORS[column].filter(
        (name) => !['or', 'in', 'not_in', 'between'].includes(name)
      )
      const rule = fc.constantFrom(...inner).chain((name) =>
        operandOf(column, name)
          .filter((operand) => !String(operand).endsWith('\\'))
          .map((operand): Rule => ({ column, operator: name, operand }))
      )
      return fc.array(rule, { minLength: 1, maxLength: 3 })
    }
    default:
      return value
  }
}

/** A filter of a column. */
export function ruleOf(column: string, operators: string[]): fc.Arbitrary<Rule> {
  return (
    fc
      .constantFrom(...operators)
      .chain((operator) =>
        operandOf(column, operator).map((operand) => ({ column, operator, operand }))
      )
      /* An empty parameter disables its filter. */
      .filter((rule) => toParameter(rule, NONE)[1] !== '')
  )
}

/** A filter of any column. */
export const anyRule: fc.Arbitrary<Rule> = fc
  .constantFrom(...Object.keys(SPECIMEN_OPERATORS))
  .chain((column) => ruleOf(column, SPECIMEN_OPERATORS[column]))

/** Rules in groups and outside, some of them negated. */
export const placedRules: fc.Arbitrary<Placed[]> = fc.array(
  fc.record({ rule: anyRule, group: fc.constantFrom(null, 1, 2, 7), isNegated: fc.boolean() }),
  { minLength: 1, maxLength: 8 }
)
