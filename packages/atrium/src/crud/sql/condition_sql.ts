import type { Dialect } from '#base/database/dialect'
import type { ComparisonOperator, Condition, Subselect } from '#base/columns/condition'
import { joined, type Sql } from '#base/sql/sql'

const SIGNS = {
  eq: '=',
  ne: '<>',
  gt: '>',
  gte: '>=',
  lt: '<',
  lte: '<=',
} as const satisfies Record<ComparisonOperator, string>

const FALSE: Sql = { sql: '1 = 0', bindings: [] }
const TRUE: Sql = { sql: '1 = 1', bindings: [] }

/**
 * Returns the SQL of a filter condition.
 *
 * @param select  returns the statement of a subselect
 */
export function conditionToSql(
  table: string,
  condition: Condition,
  dialect: Dialect,
  select: (values: Subselect) => Sql
): Sql {
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
    case 'empty':
      return dialect.emptyArray!(table, condition.column, condition.negate)
    case 'item':
      return dialect.arrayWith!(table, condition.column, condition.value)
    case 'among': {
      const { sql, bindings } = select(condition.values)
      return { sql: `${dialect.nameOf(table, condition.column)} in (${sql})`, bindings }
    }
    case 'computed':
      return conditionToSql(table, condition.condition, dialect, select)
    case 'custom':
    case 'reached': {
      const { sql, bindings } = select(condition.condition)
      return { sql: `(${sql})`, bindings }
    }
    case 'not': {
      const { sql, bindings } = conditionToSql(table, condition.condition, dialect, select)
      const name = dialect.nameOf(table, condition.column)
      return { sql: `${name} is not null and not (${sql})`, bindings }
    }
    case 'or':
    case 'and': {
      const { conditions } = condition
      if (conditions.length === 0) return type === 'or' ? FALSE : TRUE
      return joined(
        conditions.map((one) => conditionToSql(table, one, dialect, select)),
        type
      )
    }
  }
}
