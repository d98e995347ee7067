import type { Dialect } from '../database/dialect.js'
import type { ComparisonOperator, Condition } from '../request/condition.js'
import { joined, type Sql } from './sql.js'

const SIGNS = {
  eq: '=',
  ne: '<>',
  gt: '>',
  gte: '>=',
  lt: '<',
  lte: '<=',
} as const satisfies Record<ComparisonOperator, string>

/**
 * The SQL of a filter's condition.
 */
export function conditionToSql(table: string, condition: Condition, dialect: Dialect): Sql {
  const { type } = condition
  switch (type) {
    case 'compare': {
      const { column, operator, value } = condition
      return dialect.compare(table, column, SIGNS[operator], value)
    }
    case 'list':
      return dialect.compareList(table, condition.column, condition.values, condition.negate)
    case 'match':
      return dialect.match(table, condition.column, condition.pattern, condition)
    case 'between': {
      const { column, from, to } = condition
      const ends = [
        dialect.compare(table, column, '>=', from),
        dialect.compare(table, column, '<=', to),
      ]
      return joined(ends, 'and')
    }
    case 'null': {
      const name = dialect.nameOf(table, condition.column)
      return { sql: `${name} is ${condition.negate ? 'not null' : 'null'}`, bindings: [] }
    }
    case 'or':
      return joined(
        condition.conditions.map((one) => conditionToSql(table, one, dialect)),
        'or'
      )
  }
}
