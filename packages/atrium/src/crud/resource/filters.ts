import { listed, shown, ValueError, UnreadableFilter } from '#base/errors'
import { FilterConfig } from './filter_config.js'
import {
  filterPlace,
  parseFilterName,
  type FilterName,
  type FilterPlace,
} from '#base/columns/filter'
import { operatorsOf } from '#base/columns/operators'
import { readCondition, type Condition } from '#base/columns/condition'
import type { FilterMap } from '../types.js'
import { textOf } from '#base/values/numbers'
import type { Column } from '#base/columns/column'
import type { ColumnSet } from '#base/columns/column_set'

/** A filter of a model's list. */
export interface Filter extends Omit<FilterName, 'column'> {
  column: Column
  /** Condition that applies when the parameter is absent */
  fallback: Condition | undefined
  /** The default value as configured; null: no default */
  defaultValue: unknown
}

/** The filters of a model, bound to its columns. The columns' types are checked after the introspection. */
export class Filters {
  readonly #filters = new Map<string, Filter>()
  readonly #defaults: FilterMap
  readonly #model: string

  /** @throws ValueError  for a name that is not a visible column, or that `FilterConfig` refuses */
  constructor(config: FilterConfig | FilterMap | undefined, columns: ColumnSet, model: string) {
    this.#model = model
    this.#defaults = this.#checked(config)
    for (const name of Object.keys(this.#defaults)) {
      const { column: apiName, operator } = this.#named(name)
      const column = columns.visible.find((one) => one.apiName === apiName)
      if (!column) {
        throw new ValueError(
          `Invalid filter column '${apiName}': not found in the model ${model}; its columns are ${listed(columns.visible.map((one) => one.apiName))}. It is in filterConfig as '${name}'`
        )
      }
      this.#filters.set(name, {
        name,
        operator,
        column,
        fallback: undefined,
        defaultValue: this.#defaults[name],
      })
    }
  }

  /**
   * Checks operators and default values against the columns' types.
   *
   * @throws ValueError
   */
  load(): void {
    for (const filter of this.#filters.values()) {
      const { name, column, operator } = filter
      if (!operatorsOf(column).includes(operator)) {
        throw new ValueError(
          `${this.#model}: filterConfig: the filter '${name}' can't be: '${operator}' does not go with ${column.apiName}, whose type is ${column.kind}; what goes is ${listed(operatorsOf(column))}`
        )
      }
      const value = this.#defaults[name]
      if (value !== null) filter.fallback = this.#fallback(filter, value)
    }
  }

  get(name: string): Filter | undefined {
    return this.#filters.get(name)
  }

  /** Splits the name of a parameter, such as `any.1.not.price__gte`. [G3] */
  placeOf(parameter: string): FilterPlace {
    return filterPlace(parameter, (name) => this.#filters.has(name))
  }

  /**
   * Returns the filters without those of hidden columns, in the same loaded state.
   *
   * @param columns  all columns, including hidden ones
   */
  visibleIn(columns: ColumnSet): Filters {
    const left = new Filters(undefined, columns, this.#model)
    for (const [name, filter] of this.#filters) {
      const column = columns.visible.find(({ apiName }) => apiName === filter.column.apiName)
      if (column) left.#filters.set(name, { ...filter, column })
    }
    return left
  }

  get all(): Filter[] {
    return [...this.#filters.values()]
  }

  /** Returns the condition of a default value. A subclass of FilterConfig can allow a list. */
  #fallback(filter: Filter, value: unknown): Condition {
    const given = Array.isArray(value) ? value.map(textOf) : textOf(value)
    try {
      return readCondition(filter.column, filter.operator, given)
    } catch (error) {
      if (!(error instanceof UnreadableFilter)) throw error
      throw new ValueError(
        `${this.#model}: filterConfig gives '${filter.name}' the default value ${shown(value)}; the default value of the filter '${filter.name}' ${error.message}`
      )
    }
  }

  #checked(config: FilterConfig | FilterMap | undefined): FilterMap {
    if (config instanceof FilterConfig) return config.filters
    return this.#inModel(() => new FilterConfig(config ?? {}).filters)
  }

  #named(name: string): FilterName {
    return this.#inModel(() => parseFilterName(name))
  }

  /** Adds the model name to errors: a plain object is created without a model. */
  #inModel<Result>(read: () => Result): Result {
    try {
      return read()
    } catch (error) {
      if (!(error instanceof ValueError)) throw error
      throw new ValueError(`${this.#model}: filterConfig: ${error.message}`)
    }
  }
}
