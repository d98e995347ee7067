/* Filters and sorts in memory, to compare lists with. Shares no code with the engine. */
type Value = string | number | boolean | null
type Row = Record<string, any>

/**
 * A filter: `operand` is a value, for `in`, `not_in` and `between` a list of values, for `or` a
 * list of rules on the same column.
 */
export interface Rule {
  column: string
  operator: string
  operand: Value | Value[] | Rule[]
}

/** A sort as `[column, descending]`. */
export type Order = [string, boolean]

/** The rule as a parameter: name and unencoded value. */
export function toParameter(rule: Rule, declared: ReadonlySet<string>): [string, string] {
  const name = `${rule.column}__${rule.operator}`
  const short = rule.operator === 'eq' && declared.has(rule.column)
  return [short ? rule.column : name, toText(rule)]
}

export function toQuery(parameters: Array<[string, string]>): string {
  return parameters.map((parameter) => parameter.map(encodeURIComponent).join('=')).join('&')
}

function toText({ operator, operand }: Rule): string {
  if (!Array.isArray(operand)) return String(operand)
  const parts =
    operator === 'or'
      ? (operand as Rule[]).map((rule) => `${rule.operator}:${toText(rule)}`)
      : operand.map(String)
  return parts.map((part) => part.replaceAll(',', '\\,')).join(',')
}

/** Returns true if the row passes the filter. Null passes only `is` null and `is_not` true or false. */
export function passes(row: Row, { column, operator, operand }: Rule): boolean {
  const value = row[column]
  if (operator === 'or') return (operand as Rule[]).some((rule) => passes(row, rule))
  if (operator === 'is' && operand === null) return value === null
  if (operator === 'is_not' && operand !== null && value === null) return true
  if (value === null) return false

  switch (operator) {
    case 'is':
    case 'eq':
      return value === operand
    case 'is_not':
    case 'ne':
      return value !== operand
    case 'gt':
      return order(value, operand) > 0
    case 'gte':
      return order(value, operand) >= 0
    case 'lt':
      return order(value, operand) < 0
    case 'lte':
      return order(value, operand) <= 0
    case 'between': {
      const [from, to] = operand as Value[]
      return order(value, from) >= 0 && order(value, to) <= 0
    }
    case 'in':
      return (operand as Value[]).includes(value)
    case 'not_in':
      return !(operand as Value[]).includes(value)
    case 'contains':
      return value.includes(operand)
    case 'startswith':
      return value.startsWith(operand)
    case 'endswith':
      return value.endsWith(operand)
    case 'like':
      return likeExpression(operand as string, 'su').test(value)
    case 'ilike':
      return likeExpression(operand as string, 'isu').test(value)
    case 'not_like':
      return !likeExpression(operand as string, 'su').test(value)
    case 'not_ilike':
      return !likeExpression(operand as string, 'isu').test(value)
    default:
      throw new Error(`There is no operator ${operator}`)
  }
}

/** A rule of a request: an alternative of a group or by itself, and possibly negated. */
export interface Placed {
  rule: Rule
  group: number | null
  isNegated: boolean
}

/** The rule as a parameter with its prefixes. */
export function toPlacedParameter({ rule, group, isNegated }: Placed): [string, string] {
  const [name, text] = toParameter(rule, new Set())
  return [`${group === null ? '' : `any.${group}.`}${isNegated ? 'not.' : ''}${name}`, text]
}

/** Returns true if the row passes a rule or its negation. Null passes a negation only of `is` and `is_not`. */
function passesPlaced(row: Row, { rule, isNegated }: Placed): boolean {
  if (!isNegated) return passes(row, rule)
  const isTwoValued = rule.operator === 'is' || rule.operator === 'is_not'
  return (isTwoValued || row[rule.column] !== null) && !passes(row, rule)
}

/** Returns true if the row passes all single rules, and in each group at least one. */
export function passesAll(row: Row, rules: readonly Placed[]): boolean {
  const groups = new Set(rules.map(({ group }) => group).filter((group) => group !== null))
  return (
    rules.filter(({ group }) => group === null).every((one) => passesPlaced(row, one)) &&
    [...groups].every((group) => rules.some((one) => one.group === group && passesPlaced(row, one)))
  )
}

/** Rows in this order, ties broken by the key. */
export function sorted<Item extends Row>(rows: readonly Item[], orders: Order[], key = 'id') {
  return rows.toSorted((one, other) => {
    for (const [column, descending] of [...orders, [key, false] as Order]) {
      const difference = order(one[column], other[column])
      if (difference !== 0) return descending ? -difference : difference
    }
    return 0
  })
}

/** Null first, text by code point, false before true. */
function order(one: any, other: any): number {
  if (one === null || other === null) return Number(one !== null) - Number(other !== null)
  if (typeof one !== 'string') return Number(one) - Number(other)

  const left = [...one]
  const right = [...other]
  for (let index = 0; index < Math.min(left.length, right.length); index++) {
    const difference = left[index].codePointAt(0)! - right[index].codePointAt(0)!
    if (difference !== 0) return difference
  }
  return left.length - right.length
}

/** `%` matches any text, `_` one character, and a backslash escapes. */
export function likeExpression(pattern: string, flags: string): RegExp {
  const source = pattern.replace(/\\(.)|(.)/gsu, (_, escaped, plain) => {
    if (plain === '%') return '.*'
    if (plain === '_') return '.'
    return (escaped ?? plain).replace(/[\\^$.*+?()[\]{}|/]/u, '\\$&')
  })
  return new RegExp(`^${source}$`, flags)
}
