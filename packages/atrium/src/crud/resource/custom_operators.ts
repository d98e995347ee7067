import type { LucidModel, ModelQueryBuilderContract } from '@adonisjs/lucid/types/model'
import type { Column } from '#base/columns/column'
import type { Condition } from '#base/columns/condition'
import { isOperator, OPERATORS } from '#base/columns/operators'
import { dialectOf } from '#base/database/dialects'
import { listed, RuntimeError, UnreadableFilter, ValueError } from '#base/errors'
import { fromQuery } from '#base/values/from_query'
import { currentActor } from '#base/actor'
import { builtCondition } from '../sql/apply_scope.js'
import { nameScope, type Scope } from './permissions.js'

/**
 * Adds the condition of a custom filter operator to the query. The function must add only conditions, and
 * synchronously.
 *
 * @param query   the model's query
 * @param column  name of the column with its table, such as `products.scale`
 * @param value   value in the column's type, like that of `eq`; the text itself for JSON and bytes
 */
export type FilterOperator = (
  query: ModelQueryBuilderContract<LucidModel, any>,
  column: string,
  value: any
) => unknown

export type FilterOperators = Readonly<Record<string, FilterOperator>>

const NAME = /^[a-z][a-z0-9]*(?:_[a-z0-9]+)*$/i

/** The model's custom filter operators, by name. */
export class CustomOperators {
  readonly names: readonly string[]

  /**
   * @param operators  the option `operators`
   * @throws ValueError  for an invalid name, or one of the engine's operators
   */
  constructor(
    private readonly model: LucidModel,
    private readonly operators: FilterOperators = {}
  ) {
    this.names = Object.keys(operators)
    for (const name of this.names) {
      const place = `${model.name}: operators has '${name}'`
      if (isOperator(name)) {
        throw new ValueError(`${place}, which the engine has; these are ${listed(OPERATORS)}`)
      }
      if (!NAME.test(name)) {
        throw new ValueError(
          `${place}, and the name of an operator has letters, digits and single underscores`
        )
      }
      if (typeof operators[name] !== 'function') {
        throw new ValueError(`${place}, which must be a function (query, column, value) => ...`)
      }
    }
  }

  has(name: string): boolean {
    return Object.hasOwn(this.operators, name)
  }

  /**
   * Returns the condition of a filter's text.
   *
   * @throws UnreadableFilter  for a text that the column's type cannot have
   */
  condition(column: Column, operator: string, text: string): Condition {
    const isOpaque = column.kind === 'json' || column.kind === 'binary'
    const value = isOpaque ? text : fromQuery(column, text)
    if (value === null) throw new UnreadableFilter({ reason: 'kind', kind: column.kind, text })
    const { model } = this
    const apply = this.operators[operator]
    const scope: Scope = (query) => apply(query, `${model.table}.${column.name}`, value) as void
    nameScope(scope, `operator ${operator}`)
    return {
      type: 'custom',
      column,
      operator,
      value,
      condition: (client, { actor = currentActor() }) => {
        const built = builtCondition(model, scope, client, actor)
        if (!built) {
          throw new RuntimeError(
            `${model.name}: the operator '${operator}' must add conditions to the query, and nothing else`
          )
        }
        const dialect = dialectOf(client)
        return { sql: built.sql, bindings: built.bindings.map((one) => dialect.bind(column, one)) }
      },
    }
  }
}
