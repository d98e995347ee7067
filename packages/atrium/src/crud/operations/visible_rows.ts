import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import { currentActor } from '#base/actor'
import { chunks, KEYS_PER_CONDITION } from '#base/chunks'
import type { Column } from '#base/columns/column'
import type { Condition } from '#base/columns/condition'
import type { KeyValue } from '#base/columns/key'
import type { Sort } from '#base/columns/sort'
import type { DeletedMode } from '#base/columns/soft_delete'
import { dialectOf } from '#base/database/dialects'
import { joined, type Sql } from '#base/sql/sql'
import type { ListRequest } from '../request/list_request.js'
import type { Scope } from '../resource/permissions.js'
import { conditionToSql } from '../sql/condition_sql.js'
import { plainCondition } from '../sql/apply_scope.js'
import { fromMaskedRows, reachSql } from '../sql/roles_to_sql.js'
import type { Reader } from '../sql/reader.js'
import type { Selection } from '../sql/select.js'
import { Authorization } from './authorize.js'
import type { CallOptions } from './call_options.js'

export interface SelectionOptions extends CallOptions {
  deleted?: DeletedMode
  lock?: boolean
  /** True to read hidden values too, because a write requires the whole record */
  whole?: boolean
}

const NONE: Sql = { sql: '1 = 0', bindings: [] }

/**
 * Conditions for the rows of a resource that an actor is allowed to see. Only this class applies the scope and, through
 * `Authorization`, the policy.
 */
export class VisibleRows extends Authorization {
  get reader(): Reader {
    return this.resource.reader
  }

  /** Selects one item. */
  byKey(key: KeyValue, client: QueryClientContract, options: SelectionOptions): Selection {
    const visible = this.visible(options.deleted ?? 'exclude', client, options)
    const isWanted = this.resource.key.is(key, dialectOf(client))
    const lock = options.lock && client.isTransaction
    return { ...visible, where: [...visible.where, isWanted], lock }
  }

  /** Selects the items of a list. */
  byConditions(
    request: Pick<ListRequest, 'conditions' | 'deleted'> & { sorts?: readonly Sort[] },
    client: QueryClientContract,
    options: CallOptions
  ): Selection {
    const visible = this.visible(request.deleted, client, options)
    const dialect = dialectOf(client)
    const conditions = request.conditions.map((one) =>
      conditionToSql(this.resource.table, one, dialect, (values) => values(client, options))
    )
    const joins = this.joinsOf(request.sorts ?? [], client, options)
    const within = this.isLimited(options) ? visible : undefined
    return { ...visible, joins, within, where: [...visible.where, ...conditions] }
  }

  /**
   * Returns the statement that selects columns of all visible rows.
   *
   * @param shown  columns that are not null as the actor sees them
   */
  statement(
    columns: readonly Column[],
    client: QueryClientContract,
    options: CallOptions,
    shown: readonly Column[] = []
  ): Sql {
    const dialect = dialectOf(client)
    const nameOf = (column: Column) => dialect.nameOf(this.resource.table, column)
    const visible = this.visible('exclude', client, options)
    const where = shown.map((column) => ({ sql: `${nameOf(column)} is not null`, bindings: [] }))
    return this.reader.statements.expressions(
      client,
      { ...visible, where: [...visible.where, ...where] },
      [...new Set(columns.map(nameOf))].join(', ')
    )
  }

  /** Returns the joins of related records that a list is sorted by. */
  joinsOf(sorts: readonly Sort[], client: QueryClientContract, options: CallOptions): Sql[] {
    return sorts.flatMap(({ column }) => column.related?.join(client, options) ?? [])
  }

  /**
   * Returns the condition that a column of another table refers to a record that the actor is allowed to see, deleted
   * or not, and that meets a condition. Policies that require a record and fetch hooks are not applied.
   *
   * @param target  column that the reference points to
   */
  referred(column: Column, target: Column, condition: Condition): Condition {
    const wanted = { conditions: [condition], deleted: 'include' as const }
    return {
      type: 'among',
      column,
      values: (client, options) =>
        this.reader.statements.statement(
          client,
          this.byConditions(wanted, client, options),
          target
        ),
    }
  }

  /** Returns the condition for the records of the keys. */
  among(keys: readonly KeyValue[]): Condition {
    const { key } = this.resource
    return {
      type: 'reached',
      condition: (client) => {
        const dialect = dialectOf(client)
        const parts = [...chunks(keys, KEYS_PER_CONDITION)].map((some) => key.isAny(some, dialect))
        return parts.length === 0 ? NONE : joined(parts, 'or')
      },
    }
  }

  /** Returns the condition that a record is in any of the scopes. */
  reachedBy(scopes: readonly Scope[]): Condition {
    const { base } = this.resource
    return {
      type: 'reached',
      condition: (client, { actor = currentActor() }) =>
        reachSql(base, scopes, client, actor, false),
    }
  }

  /** True if records or values are hidden from the actor. */
  isLimited({ actor = currentActor() }: CallOptions): boolean {
    const { mixedColumns, scope } = this.resource
    return mixedColumns.size > 0 || (scope !== undefined && actor.kind !== 'system')
  }

  /** Selects the rows in the actor's scope. */
  protected visible(
    deleted: DeletedMode,
    client: QueryClientContract,
    { actor = currentActor(), whole = false }: SelectionOptions
  ): Selection {
    const { mixedColumns, scope, softDelete } = this.resource
    const condition = softDelete?.condition(deleted, dialectOf(client))
    const where = condition ? [condition] : []
    if (mixedColumns.size > 0 && !whole) {
      const rows = { where, scope, actor }
      return {
        where: [],
        scope: (query) => fromMaskedRows(query, this.resource, mixedColumns, rows),
      }
    }
    if (!scope || actor.kind === 'system') return { where }
    const plain = plainCondition(this.resource.model, scope, client, actor)
    return plain ? { where: [...where, plain] } : { where, scope: (query) => scope(query, actor) }
  }
}
