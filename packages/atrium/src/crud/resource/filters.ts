import type { HttpContext } from '@adonisjs/core/http'
import { listed, RuntimeError, shown, ValueError, UnreadableFilter } from '#base/errors'
import {
  filterPlace,
  parseFilterName,
  splitFilterName,
  type FilterError,
  type FilterName,
  type FilterPlace,
  readPlaced,
} from '#base/columns/filter'
import { operatorsOf, type Operator } from '#base/columns/operators'
import { readCondition, type Condition } from '#base/columns/condition'
import type { ComputedFilter, FilterMap } from '../types.js'
import { textOf } from '#base/values/numbers'
import type { Column } from '#base/columns/column'
import type { ColumnSet } from '#base/columns/column_set'
import type { CustomOperators } from './custom_operators.js'
import { toApi } from '#base/values/to_api'

/* Operators that accept null from application code. Others refuse null, with which they would find wrong rows. */
const FOR_NULL: readonly Operator[] = ['eq', 'exact', 'is', 'ne', 'is_not']

/**
 * Returns the condition for a value of application code. Null finds empty values, and with `ne` and `is_not` the
 * others. Of a list, each item is converted separately.
 *
 * @throws UnreadableFilter
 */
export function conditionOfValue(
  column: Column,
  operator: Operator,
  value: unknown,
  isNegated = false
): Condition {
  if (value === null && FOR_NULL.includes(operator)) {
    const isFilled = operator === 'ne' || operator === 'is_not'
    return { type: 'null', column, negate: isFilled !== isNegated }
  }
  const given = Array.isArray(value)
    ? value.map((part) => codeText(column, part))
    : codeText(column, value)
  return readPlaced(column, operator, given, isNegated)
}

/**
 * Converts a value of application code to the form of a query string.
 *
 * @throws UnreadableFilter  for null and undefined
 */
export function codeText(column: Column, value: unknown): string {
  if (value === undefined || value === null) {
    throw new UnreadableFilter({ reason: 'missing', value })
  }
  return textOf(typeof value === 'object' ? toApi(column, value) : value)
}

/**
 * Filters of a model's list: names (`category`, `price__gte`) and their default values. A plain object is equivalent,
 * but this class reports errors earlier, at the place where it is created.
 *
 * @example
 * ```ts
 * new FilterConfig({ category: null, price__gte: 0 })
 * ```
 */
export class FilterConfig {
  readonly filters: Readonly<FilterMap>

  /**
   * @param filters  filter name -> default value for an absent parameter, null: no default; or a function that computes
   *   the filter for each request
   * @param operators  names of the model's custom operators
   * @throws ValueError  for an invalid name or default value
   */
  constructor(filters: FilterMap, { operators = [] }: { operators?: readonly string[] } = {}) {
    for (const [name, value] of Object.entries(filters)) {
      parseFilterName(name, operators)
      if (typeof value !== 'function') this.validateDefault(name, value)
    }
    this.filters = Object.freeze({ ...filters })
  }

  /**
   * Checks a default value; a subclass can allow other values or forbid more.
   *
   * @throws ValueError  for a value that is not allowed
   */
  protected validateDefault(name: string, value: unknown): void {
    const allowed =
      value === null ||
      typeof value === 'string' ||
      typeof value === 'boolean' ||
      (typeof value === 'number' && Number.isFinite(value))
    if (!allowed) {
      throw new ValueError(
        `Invalid default value of the filter '${name}': it is ${describe(value)}, ${shown(value)}, and must be null, a string, a number or a boolean`
      )
    }
  }
}

function describe(value: unknown): string {
  if (Array.isArray(value)) return 'an array'
  if (typeof value === 'object') return 'an object'
  return typeof value === 'number' ? String(value) : `a ${typeof value}`
}

/** A filter of a model's list. */
export interface Filter {
  name: string
  column: Column
  operator: Operator | 'custom'
  /** Reads the text of a custom operator */
  read?: (text: string) => Condition | FilterError
  /** Condition that applies when the parameter is absent */
  fallback: Condition | undefined
  /** The default value as configured; null: no default */
  defaultValue: unknown
}

/*
 * The condition of a computed filter whose value is undefined, usually because the user lacks an attribute. No record
 * meets it.
 */
const NOTHING: Condition = { type: 'or', conditions: [] }

/** The filters of a model, bound to its columns. The columns' types are checked after the introspection. */
export class Filters {
  readonly #filters = new Map<string, Filter>()
  readonly #computed = new Map<Filter, ComputedFilter>()
  /** Declared filters on fields of related records, such as `distributor.name__contains` */
  readonly #related = new Set<string>()
  /** Relations whose fields are all filters, by name */
  #open: ReadonlySet<string> = new Set()
  readonly #operators: CustomOperators
  readonly #model: string

  /** @throws ValueError  for a name that is not a visible column, or that `FilterConfig` refuses */
  constructor(
    config: FilterConfig | FilterMap | undefined,
    columns: ColumnSet,
    model: string,
    operators: CustomOperators
  ) {
    this.#model = model
    this.#operators = operators
    for (const [name, value] of Object.entries(this.#checked(config))) {
      if (this.#takesRelated(name, value, columns)) continue
      /* Clients cannot use a computed filter, so it can have a hidden column. */
      const isComputed = typeof value === 'function'
      const filter = this.#bound(name, isComputed ? columns.all : columns.visible)
      if (isComputed) this.#computed.set(filter, value)
      else this.#filters.set(name, { ...filter, defaultValue: value })
    }
  }

  /**
   * Checks operators and default values against the columns' types.
   *
   * @throws ValueError
   */
  load(): void {
    for (const filter of [...this.#filters.values(), ...this.#computed.keys()]) {
      const { name, column, operator, defaultValue } = filter
      if (operator !== 'custom' && !operatorsOf(column).includes(operator)) {
        throw new ValueError(
          `${this.#model}: filterConfig: the filter '${name}' can't be: '${operator}' does not go with ${column.apiName}, whose type is ${column.kind}; what goes is ${listed(operatorsOf(column))}`
        )
      }
      if (defaultValue !== null) filter.fallback = this.#fallback(filter, defaultValue)
    }
  }

  get(name: string): Filter | undefined {
    return this.#filters.get(name)
  }

  /** Splits the name of a parameter, such as `any.1.not.price__gte`. */
  splitName(parameter: string): FilterPlace {
    return filterPlace(parameter, (name) => this.#filters.has(name))
  }

  /**
   * Returns the filters without those of hidden columns, in the same loaded state. Computed filters always apply.
   *
   * @param columns  all columns, including hidden ones
   */
  visibleIn(columns: ColumnSet): Filters {
    const left = new Filters(undefined, columns, this.#model, this.#operators)
    for (const [name, filter] of this.#filters) {
      const column = columns.visible.find(({ apiName }) => apiName === filter.column.apiName)
      if (column) left.#filters.set(name, { ...filter, column })
    }
    for (const [filter, compute] of this.#computed) left.#computed.set(filter, compute)
    for (const name of this.#related) left.#related.add(name)
    left.#open = this.#open
    return left
  }

  /** Declares every field of these relations as a filter. */
  openRelations(names: Iterable<string>): void {
    this.#open = new Set(names)
  }

  /** Names of the declared filters on fields of related records. */
  get relatedNames(): readonly string[] {
    return [...this.#related]
  }

  /** Relations whose fields are all filters. */
  get openNames(): ReadonlySet<string> {
    return this.#open
  }

  /** True if requests can name fields of related records. */
  get areRelated(): boolean {
    return this.#related.size + this.#open.size > 0
  }

  /** True for a declared filter on a related field. */
  declaresRelated(name: string): boolean {
    return this.#related.has(name) || this.#open.has(name.slice(0, name.indexOf('.')))
  }

  /** True for a declared filter on a related field, and for the field, which lists can be sorted by. */
  allowsRelated(name: string): boolean {
    if (this.declaresRelated(name)) return true
    return this.relatedNames.some((one) => splitFilterName(one).column === name)
  }

  get all(): Filter[] {
    return [...this.#filters.values()]
  }

  /** True if each request needs `compute`. */
  get areComputed(): boolean {
    return this.#computed.size > 0
  }

  /**
   * Returns the conditions that the application computes for a request.
   *
   * @throws RuntimeError  for a value that the filter cannot have
   */
  async compute(ctx: HttpContext): Promise<Condition[]> {
    const conditions: Condition[] = []
    for (const [filter, compute] of this.#computed) {
      const value = await compute(ctx)
      if (value === null) continue
      const condition = value === undefined ? NOTHING : this.#ofValue(filter, value)
      conditions.push({ type: 'computed', condition })
    }
    return conditions
  }

  #ofValue(filter: Filter, value: unknown): Condition {
    const { column, name, operator } = filter
    try {
      return operator === 'custom'
        ? this.#custom(filter, codeText(column, value))
        : conditionOfValue(column, operator, value)
    } catch (error) {
      if (!(error instanceof UnreadableFilter)) throw error
      throw new RuntimeError(
        `${this.#model}: filterConfig computes ${shown(value)} for '${name}', which ${error.message}`
      )
    }
  }

  /**
   * Registers the name of a related field, such as `distributor.name`.
   *
   * @returns false for any other name
   * @throws ValueError  for a value, which only a filter on a column of the model can have
   */
  #takesRelated(name: string, value: unknown, columns: ColumnSet): boolean {
    const { column } = this.#named(name)
    if (!column.includes('.') || columns.find(column)) return false
    if (value !== null) {
      throw new ValueError(
        `${this.#model}: filterConfig gives '${name}' a value, but a filter on a related field has none; use null`
      )
    }
    this.#related.add(name)
    return true
  }

  #bound(name: string, columns: readonly Column[]): Filter {
    const { column: apiName, operator } = this.#named(name)
    const column = columns.find((one) => one.apiName === apiName)
    if (!column) {
      throw new ValueError(
        `Invalid filter column '${apiName}': not found in the model ${this.#model}; its columns are ${listed(columns.map((one) => one.apiName))}. It is in filterConfig as '${name}'`
      )
    }
    const filter = { name, column, fallback: undefined, defaultValue: null }
    if (!this.#operators.has(operator)) return { ...filter, operator: operator as Operator }
    const custom: Filter = { ...filter, operator: 'custom' }
    return { ...custom, read: (text) => this.#readCustom(custom, text) }
  }

  #readCustom(filter: Filter, text: string): Condition | FilterError {
    try {
      return this.#custom(filter, text)
    } catch (error) {
      if (!(error instanceof UnreadableFilter)) throw error
      return { reason: 'value', value: error.error }
    }
  }

  #custom({ column, name }: Filter, text: string): Condition {
    return this.#operators.condition(column, this.#named(name).operator, text)
  }

  /** Returns the condition of a default value. A subclass of FilterConfig can allow a list. */
  #fallback(filter: Filter, value: unknown): Condition {
    const given = Array.isArray(value) ? value.map(textOf) : textOf(value)
    try {
      return filter.operator === 'custom'
        ? this.#custom(filter, String(given))
        : readCondition(filter.column, filter.operator, given)
    } catch (error) {
      if (!(error instanceof UnreadableFilter)) throw error
      throw new ValueError(
        `${this.#model}: filterConfig gives '${filter.name}' the default value ${shown(value)}; the default value of the filter '${filter.name}' ${error.message}`
      )
    }
  }

  #checked(config: FilterConfig | FilterMap | undefined): FilterMap {
    if (config instanceof FilterConfig) return config.filters
    const { names: operators } = this.#operators
    return this.#inModel(() => new FilterConfig(config ?? {}, { operators }).filters)
  }

  #named(name: string): FilterName {
    return this.#inModel(() => parseFilterName(name, this.#operators.names))
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
