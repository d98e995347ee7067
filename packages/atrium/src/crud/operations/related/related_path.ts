import { onQueryOf } from '#upstream/lucid_relations'
import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import type { RelationshipsContract } from '@adonisjs/lucid/types/relations'
import type { Column } from '#base/columns/column'
import type { Condition } from '#base/columns/condition'
import type { Query } from '#base/database/dialect'
import { dialectOf } from '#base/database/dialects'
import type { Sql } from '#base/sql/sql'
import { isHiddenFrom } from '../../request/item_request.js'
import { isExcludedFromInclude, RelationTo } from '../../resource/included_relation.js'
import { knownResources, type IncludedRelation, type Resource } from '../../resource/resource.js'
import type { Selection } from '../../sql/select.js'
import type { Actor } from '../../types.js'
import { Authorization } from '../authorize.js'
import { Records } from '../records.js'

export interface PathRules {
  actor: Actor
  client?: QueryClientContract
  /** False for a relation that the caller is not allowed to read, or throws the refusal */
  admits?: (relation: IncludedRelation) => Promise<boolean>
}

/** A relation, and the resource of its records as the actor can see it. */
interface Step {
  relation: RelationshipsContract
  include: IncludedRelation
  resource: Resource
  /** The resource between the two of a `hasManyThrough` */
  middle?: Resource
}

type Options = { actor?: Actor }

const KEY = 'crud_key'
const VALUE = 'crud_value'

/** The path from a row to its related records, over one or two relations. */
export class RelatedPath {
  private constructor(
    private readonly table: string,
    private readonly steps: readonly Step[]
  ) {}

  /**
   * Returns the path over relations; null for an unknown relation, for one whose records the actor cannot see, and for
   * one whose visible records cannot be selected by SQL alone
   */
  static async of(
    resource: Resource,
    relations: readonly string[],
    rules: PathRules
  ): Promise<RelatedPath | null> {
    const steps: Step[] = []
    let from = resource
    for (const name of relations) {
      const step = await stepOf(from, name, rules)
      if (!step) return null
      steps.push(step)
      from = step.resource
    }
    return new RelatedPath(resource.table, steps)
  }

  /** Returns the path for the API schema, without an actor; null for an unknown relation, or before a table is read. */
  static unrestricted(resource: Resource, relations: readonly string[]): RelatedPath | null {
    const steps: Step[] = []
    let from = resource
    for (const name of relations) {
      const found = relationOf(from, name)
      if (!found?.include.resource.isLoaded) return null
      from = found.include.resource
      steps.push({ ...found, resource: from })
    }
    return new RelatedPath(resource.table, steps)
  }

  /** Loads the resources of a path. */
  static async load(resource: Resource, relations: readonly string[]): Promise<void> {
    let from = resource
    for (const name of relations) {
      const found = relationOf(from, name)
      if (!found) return
      from = found.include.resource
      await from.load()
    }
  }

  get includes(): IncludedRelation[] {
    return this.steps.map(({ include }) => include)
  }

  /** Resource of the related records */
  get resource(): Resource {
    return this.steps.at(-1)!.resource
  }

  /** Column of the rows that leads to the related records */
  get link(): Column {
    return this.steps[0].include.column
  }

  /** True if a row has one related record at most */
  get isToOne(): boolean {
    return this.steps.every(({ include, relation, resource }) => {
      if (relation.type !== 'belongsTo') return false
      const { name } = include.relatedColumn.column
      const keys = [resource.key.columns.map((column) => column.name), ...resource.wholeKeys]
      return keys.some((names) => names.length === 1 && names[0] === name)
    })
  }

  /** Returns a field of the related records; undefined if the actor cannot see it. */
  columnOf(apiName: string): Column | undefined {
    return this.resource.fields.find((column) => column.apiName === apiName)
  }

  /** Returns the condition that a row has a related record that meets the conditions. */
  sql(conditions: readonly Condition[], client: QueryClientContract, options: Options): Sql {
    return this.#reached(0, this.table, conditions, client, options)
  }

  /** Returns a copy of a column of the related record, for a table that is joined with this alias. */
  joined(column: Column, apiName: string, table: string): Column {
    return column.asRelated({
      apiName,
      table,
      column: VALUE,
      join: (client, options) => this.#join(0, this.table, column, table, client, options),
    })
  }

  #reached(
    index: number,
    table: string,
    conditions: readonly Condition[],
    client: QueryClientContract,
    options: Options
  ): Sql {
    const { include, middle, relation, resource } = this.steps[index]
    const isLast = index === this.steps.length - 1
    const wanted: readonly Condition[] = isLast
      ? conditions
      : [
          {
            type: 'reached',
            condition: (own, asked) =>
              this.#reached(index + 1, resource.table, conditions, own, asked),
          },
        ]
    const dialect = dialectOf(client)
    const link = dialect.nameOf(table, include.column)
    const selection = selectionOf(this.steps[index], wanted, client, options)
    const { statements } = resource.reader
    const through = throughOf(include, relation)
    if (!through) {
      const { column } = include.relatedColumn
      const name = dialect.nameOf(resource.table, column)
      const stored = resource.columns.all.find((one) => one.name === column.name)
      /* For a column that is never null, the check makes MariaDB read all rows of the list in their order. */
      const isNullable = stored?.nullable !== false
      const notNull = isNullable ? [{ sql: `${name} is not null`, bindings: [] }] : []
      const where = [...selection.where, ...notNull]
      const { sql, bindings } = statements.expressions(client, { ...selection, where }, name)
      return { sql: `${link} in (${sql})`, bindings }
    }
    const related = dialect.nameOf(resource.table, { name: through.related })
    const { sql, bindings } = statements.expressions(client, selection, `${related} as ${KEY}`)
    const [from, to] = [through.from, through.to].map((name) =>
      dialect.nameOf(through.table, { name })
    )
    /* A join, because SQLite would read the whole table in between for a nested `in`. */
    const on = `${dialect.nameOf(VALUE, { name: KEY })} = ${to}`
    const found = `(${sql}) as ${dialect.quote(VALUE)}`
    const name = dialect.quote(through.table)
    const visible =
      middle && new Records(middle).statement(include.links[1].columns, client, options)
    const source = visible ? `(${visible.sql}) as ${name}` : name
    const rows = `select ${from} from ${source} inner join ${found} on ${on} where ${from} is not null`
    return { sql: `${link} in (${rows})`, bindings: [...(visible?.bindings ?? []), ...bindings] }
  }

  #join(
    index: number,
    table: string,
    column: Column,
    alias: string,
    client: QueryClientContract,
    options: Options
  ): Sql {
    const step = this.steps[index]
    const { include, resource } = step
    const dialect = dialectOf(client)
    const inner = `${alias}_next`
    const isLast = index === this.steps.length - 1
    const joins = isLast
      ? []
      : [this.#join(index + 1, resource.table, column, inner, client, options)]
    const value = isLast
      ? dialect.nameOf(resource.table, column)
      : dialect.nameOf(inner, { name: VALUE })
    const key = dialect.nameOf(resource.table, include.relatedColumn.column)
    const selection = { ...selectionOf(step, [], client, options), joins }
    const wanted = `${key} as ${KEY}, ${value} as ${VALUE}`
    const { sql, bindings } = resource.reader.statements.expressions(client, selection, wanted)
    const on = `${dialect.nameOf(alias, { name: KEY })} = ${dialect.nameOf(table, include.column)}`
    return { sql: `left join (${sql}) as ${dialect.quote(alias)} on ${on}`, bindings }
  }
}

/** Selects the related records that the actor can see and that meet the conditions, with the relation's `onQuery`. */
function selectionOf(
  { relation, resource }: Step,
  conditions: readonly Condition[],
  client: QueryClientContract,
  options: Options
): Selection {
  const wanted = { conditions, deleted: 'exclude' as const }
  const selection = new Records(resource).byConditions(wanted, client, options)
  const onQuery = onQueryOf(relation)
  if (!onQuery) return selection
  const scope = (query: Query) => {
    selection.scope?.(query)
    query.wrapExisting()
    onQuery(query)
  }
  return { ...selection, scope }
}

async function stepOf(
  from: Resource,
  name: string,
  { actor, admits, client }: PathRules
): Promise<Step | null> {
  const found = relationOf(from, name)
  if (!found) return null
  const { include, relation } = found
  if (from.projection?.conceals(name)) return null
  const isLinkSeen = include.column && !isHiddenFrom(from, include.column)
  if (!isLinkSeen || isExcludedFromInclude(include.resource.model)) return null
  if (admits && !(await admits(include))) return null
  /* The client of a transaction can only query the list's database. */
  const elsewhere = include.resource.model.connection !== from.model.connection
  if (elsewhere || (onQueryOf(relation) && include.isIndirect)) return null
  const seen: Resource[] = []
  for (const { columns, resource: whole } of include.links) {
    await whole.load(client)
    const resource = await whole.for(actor, client)
    /* A filter would reveal which record the hidden column links to. */
    if (columns.some((column) => isHiddenFrom(resource, column))) return null
    const authorization = new Authorization(resource)
    const isOneByOne =
      authorization.authorizesRecords({ actor }) ||
      resource.reader.statements.hasHooks('before:fetch', 'after:fetch')
    const operation = include.isList ? 'read_multi' : 'read'
    if (isOneByOne || !(await authorization.allows(operation, { actor }))) return null
    seen.push(resource)
  }
  return { relation, include, resource: seen[0], middle: seen[1] }
}

function relationOf(from: Resource, name: string): Omit<Step, 'resource'> | null {
  const relation = [...from.model.$relationsDefinitions.values()].find(
    (one) => one.serializeAs === name
  )
  if (!relation) return null
  relation.boot()
  const include: IncludedRelation = new RelationTo(relation, from.columns, (model) =>
    knownResources.of(model)
  )
  return { relation, include }
}

interface Through {
  table: string
  /** Column that refers to the rows of the list */
  from: string
  /** Column that refers to the related records, or that they refer to */
  to: string
  /** Column of the related records */
  related: string
}

/** Returns the table between the rows and their related records. */
function throughOf({ through }: IncludedRelation, relation: RelationshipsContract): Through | null {
  if (relation.type === 'manyToMany') {
    const { relatedKeyColumnName } = relation as unknown as Record<string, string>
    return {
      table: relation.pivotTable,
      from: relation.pivotForeignKey,
      to: relation.pivotRelatedForeignKey,
      related: relatedKeyColumnName,
    }
  }
  if (!through) return null
  const { from, related, resource, to } = through
  return { table: resource.table, from: from.name, to: to.name, related: related.name }
}
