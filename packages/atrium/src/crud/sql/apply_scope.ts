import logger from '@adonisjs/core/services/logger'
import type { Query } from '#base/database/dialect'
import { RuntimeError } from '#base/errors'
import { nameScope, wordsOfScope, type Scope } from '../resource/permissions.js'
import type { Actor } from '../types.js'
import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import type { LucidModel } from '@adonisjs/lucid/types/model'
import type { Sql } from '#base/sql/sql'

/* Methods that do more than add conditions, and behave differently in a list, a count and a subquery. */
const NO_CONDITIONS = new Set([
  ...['limit', 'offset', 'forPage', 'orderBy', 'orderByRaw', 'groupBy', 'groupByRaw'],
  ...['union', 'unionAll', 'intersect', 'paginate', 'first', 'firstOrFail', 'exec', 'then'],
  ...['update', 'delete', 'increment', 'decrement', 'clearWhere', 'forUpdate'],
])

/* For these operators, null is an intended value. */
const NULL_OPERATORS = /^\s*is(\s+not)?\s*$/i

const CONDITION = /^(and|or)?where/i
const EQUALITY = /^(?:(?:and|or)?where|or)(?:not)?$/i

/**
 * Warnings that were already logged, by user object: each scope that compares with undefined is logged once per object
 */
const REPORTED = new WeakMap<object, Set<string>>()

/** Scopes that combine other scopes, each of which is guarded separately */
const GUARDED = new WeakSet<Scope>()

/** The scopes that guarded ones apply */
const UNGUARDED = new WeakMap<Scope, Scope>()

/** Thrown to end a scope that compares with an undefined value. */
class ComparedWithNothing extends Error {}

class Watch {
  lacking: string | undefined
  hasFunctions = false
  /** True once the scope is applied: a nested function that runs again then does not throw */
  isOver = false

  constructor(readonly words: string) {}

  /** @throws ComparedWithNothing */
  lack(place: string): void {
    if (this.isOver) return
    this.lacking ??= place
    throw new ComparedWithNothing()
  }
}

/**
 * Narrows a query by a scope. A scope that compares with an undefined value, such as an attribute that the user does
 * not have, matches no row, and a warning is logged.
 *
 * @throws RuntimeError  when the scope does anything other than add conditions
 */
export function applyScope(scope: Scope, query: Query, actor: Actor): void {
  if (GUARDED.has(scope)) return scope(query, actor)
  const words = wordsOfScope(scope, query.model.name)
  const place = narrow(scope, query, actor, words)
  if (place === undefined) return
  query.wrapExisting().whereRaw('1 = 0')
  warnOnce(words, place, actor)
}

/**
 * Returns the column, or else the method, of the condition by which a scope compares with a value that the actor does
 * not have; undefined if there is none. Runs no query.
 *
 * @param query  a new query of the model
 * @throws RuntimeError  when the scope does anything other than add conditions
 */
export function comparedWithoutValue(scope: Scope, query: Query, actor: Actor): string | undefined {
  const own = UNGUARDED.get(scope) ?? scope
  return GUARDED.has(own)
    ? undefined
    : narrow(own, query, actor, wordsOfScope(own, query.model.name))
}

/** Applies a scope. Returns the place where it compares with an undefined value. */
function narrow(scope: Scope, query: Query, actor: Actor, words: string): string | undefined {
  const watch = new Watch(words)
  try {
    const response: unknown = scope(guarded(query, watch, true), actor)
    if (response instanceof Promise) {
      response.catch(() => {})
      throw new RuntimeError(
        `${words} returns a promise; a scope adds its conditions immediately, and reads what it needs from the actor`
      )
    }
    /*
     * Functions within conditions run when the query is converted to SQL, which modifies the query, so a clone is used.
     */
    if (watch.hasFunctions) query.clone().toSQL()
  } catch (error) {
    if (!(error instanceof ComparedWithNothing)) throw error
  }
  watch.isOver = true
  return watch.lacking
}

/** Returns a scope that always applies the given scope through `applyScope`. */
export function guardedScope(scope: Scope): Scope {
  const own: Scope = (query, actor) => applyScope(scope, query, actor)
  nameScope(own, scope.name)
  UNGUARDED.set(own, scope)
  return markGuarded(own)
}

/** Marks a scope that only combines other scopes, each of which is guarded separately. */
export function markGuarded(scope: Scope): Scope {
  GUARDED.add(scope)
  return scope
}

/**
 * Returns a proxy of the query for the scope, which checks each condition, including those in nested functions.
 *
 * @param isOuter  false within a nested function, where a subquery can have an order or a limit
 */
function guarded<Target extends object>(query: Target, watch: Watch, isOuter: boolean): Target {
  const self: Target = new Proxy(query, {
    get(target, name) {
      const value = Reflect.get(target, name, target)
      if (typeof value !== 'function' || typeof name !== 'string') return value
      if (isOuter && (NO_CONDITIONS.has(name) || /having/i.test(name))) {
        throw new RuntimeError(
          `${watch.words} calls ${name}(); a scope can only add conditions, as by where, whereIn or whereHas`
        )
      }
      return (...given: unknown[]) => {
        const lacking = CONDITION.test(name) ? comparedWithNothing(name, given) : undefined
        if (lacking !== undefined) {
          watch.lack(lacking)
          return self
        }
        const passed = given.map((one) => (typeof one === 'function' ? within(one, watch) : one))
        const response = Reflect.apply(value, target, passed)
        return response === target ? self : response
      }
    },
  })
  return self
}

function within(work: unknown, watch: Watch) {
  watch.hasFunctions = true
  return (...given: unknown[]) => {
    const [query, ...others] = given
    const first = isQuery(query) ? guarded(query, watch, false) : query
    return (work as (...given: unknown[]) => unknown)(first, ...others)
  }
}

function isQuery(value: unknown): value is object {
  return typeof (value as { toKnex?: unknown } | null)?.toKnex === 'function'
}

/** Returns the column, or else the method, of a condition that compares with an undefined value. */
function comparedWithNothing(name: string, given: readonly unknown[]): string | undefined {
  const [key, operator] = given
  const place = typeof key === 'string' ? key : name
  const isEquality = EQUALITY.test(name)
  for (const value of given) {
    if (value === undefined || (Array.isArray(value) && value.includes(undefined))) return place
    if (!isPlain(value)) continue
    const lacking = Object.entries(value).find(
      ([, one]) => one === undefined || (one === null && isEquality)
    )
    if (lacking) return lacking[0]
  }
  if (!isEquality || given.at(-1) !== null) return undefined
  const isMeant = given.length > 2 && NULL_OPERATORS.test(String(operator))
  return isMeant ? undefined : place
}

function isPlain(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false
  return Object.getPrototypeOf(value) === Object.prototype
}

function warnOnce(words: string, place: string, actor: Actor): void {
  const { user } = actor
  const who = typeof user === 'object' && user !== null ? user : actor
  const reported = REPORTED.get(who) ?? new Set()
  REPORTED.set(who, reported)
  const line = `${words} compares ${place} with nothing: ${whoIs(actor)} lacks the value, and reaches no record by it`
  if (reported.has(line)) return
  reported.add(line)
  logger.warn(line)
}

function whoIs({ kind, user }: Actor): string {
  const known = user as { username?: unknown; $primaryKeyValue?: unknown } | undefined
  const name = known?.username ?? known?.$primaryKeyValue
  if (name === undefined) return kind === 'none' ? 'who is not known' : `this ${kind}`
  return `the user ${JSON.stringify(name)}`
}

const ALL: Sql = { sql: '1 = 1', bindings: [] }

/** Scopes known to do more than compare; they are not analyzed again. */
const NOT_PLAIN = new WeakSet<Scope>()

/**
 * Returns the condition of a scope that only compares, in parentheses. It can be used in any statement that reads only
 * this table, without a query builder or a subquery.
 *
 * @returns null if the scope joins tables, adds anything other than `where`, or has values that drivers do not accept
 *   unchanged
 */
export function plainCondition(
  model: LucidModel,
  scope: Scope,
  client: QueryClientContract,
  actor: Actor
): Sql | null {
  if (NOT_PLAIN.has(scope)) return null
  const condition = builtCondition(model, scope, client, actor)
  if (condition?.bindings.every(isPlainValue)) return condition
  NOT_PLAIN.add(scope)
  return null
}

/**
 * Returns the condition of a scope that only compares, with values of any type.
 *
 * @returns null if the scope joins tables, or adds anything other than `where`
 */
export function builtCondition(
  model: LucidModel,
  scope: Scope,
  client: QueryClientContract,
  actor: Actor
): Sql | null {
  const start = (model.query({ client }) as Query).toSQL().sql
  const query = model.query({ client }) as Query
  applyScope(scope, query, actor)
  const { sql, bindings } = query.toSQL()
  return conditionAfter(start, { sql, bindings: [...bindings] })
}

/**
 * Returns the condition that a scope has added to a statement; null for anything other than `where`.
 *
 * @param start  the statement without the scope
 */
function conditionAfter(start: string, { sql, bindings }: Sql): Sql | null {
  if (sql === start) return ALL
  const prefix = `${start} where `
  if (!sql.startsWith(prefix)) return null
  const condition = sql.slice(prefix.length)
  /* Null for a question mark that is not a placeholder, but an operator of PostgreSQL or part of a text. */
  if (condition.split('?').length - 1 !== bindings.length || condition.includes('\\?')) return null
  return { sql: `(${condition})`, bindings }
}

/** True for values that every driver accepts unchanged; Knex converts others, such as booleans and dates. */
function isPlainValue(value: unknown): boolean {
  return value === null || ['string', 'number', 'bigint'].includes(typeof value)
}
