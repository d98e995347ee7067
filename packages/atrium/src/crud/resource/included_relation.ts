import { throughModelOf } from '#upstream/lucid_relations'
import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import type { LucidModel } from '@adonisjs/lucid/types/model'
import type { RelationshipsContract } from '@adonisjs/lucid/types/relations'
import { checkEach, POSITIVE, TEXT, TEXTS } from '#base/checks'
import type { Query, StoredColumn } from '#base/database/dialect'
import { listed, ValueError } from '#base/errors'
import { crudConfig } from '../settings.js'
import type { Column } from '#base/columns/column'
import type { ColumnSet } from '#base/columns/column_set'
import { PIVOT, PivotColumns } from './pivot_columns.js'

/** The properties of the related resource that are needed here. */
interface RelatedTable {
  readonly table: string
  readonly columns: ColumnSet
}

/** The properties of the related resource that are needed to load it. */
interface LoadableTable extends RelatedTable {
  readonly model: LucidModel
  readonly name: string
  readonly fields: readonly Column[]
  readonly computed: ReadonlyMap<string, string>
  load(client?: QueryClientContract): Promise<void>
  client(): QueryClientContract
}

/** A relation of the option `include` with settings. */
export interface IncludeOption {
  /** Name or API name of the relation */
  relation: string
  /** Maximum number of items per record, for a relation to many. Default: `pagination.includedPerRecord` */
  limit?: number
  /** Pivot table columns of a manyToMany relation that each item contains under `pivot`. Default: none */
  pivot?: Iterable<string>
}

/** The option `include`: a list of relations, or an object that names those that each response contains. */
export type IncludeSettings =
  | Iterable<string | IncludeOption>
  | {
      /** Relations that every response of reads and lists contains; left out for callers who cannot read them */
      always: Iterable<string | IncludeOption>
      /** Relations that `include=` can add */
      optional?: Iterable<string | IncludeOption>
    }

const INCLUDE_OPTIONS = { relation: TEXT, limit: POSITIVE, pivot: TEXTS }

/** The column that links a related row to the items that include it. */
interface RelatedColumn {
  table: string
  column: StoredColumn
}

/** The model between the two of a `hasManyThrough`. */
interface Through<Related> {
  resource: Related
  /** Column that refers to the including items */
  from: Column
  /** Column that the related rows refer to */
  to: Column
  /** Column of the related rows */
  related: Column
}

/** A relation whose items a model's responses can include. */
export class RelationTo<Related extends RelatedTable> {
  /** API name: the relation's `serializeAs` */
  readonly name: string
  /** True for a list of items; false for one item or null */
  readonly isList: boolean
  /** API name of the field that marks an incomplete list */
  readonly hasMore: string
  /** Column of the including model that links it to the related rows */
  readonly column: Column
  /** Columns of the pivot table that items show, if any */
  readonly pivot: PivotColumns | undefined
  /** True if every response of reads and lists contains the relation */
  readonly isAlways: boolean

  readonly #relation: RelationshipsContract
  readonly #model: LucidModel
  readonly #limit: number | undefined
  readonly #resourceOf: (model: LucidModel) => Related

  /**
   * @param relation    the booted relation
   * @param resourceOf  returns the resource of a related model
   */
  constructor(
    relation: RelationshipsContract,
    columns: ColumnSet,
    resourceOf: (model: LucidModel) => Related,
    { limit, pivot = [], isAlways = false }: Omit<ReadOption, 'relation'> = {}
  ) {
    this.#relation = relation
    this.#model = relation.model
    this.#limit = limit
    this.#resourceOf = resourceOf
    this.name = relation.serializeAs!
    this.isList = isList(relation)
    this.isAlways = isAlways
    this.hasMore = hasMoreOf(this.name)
    const shown = [...pivot]
    this.pivot =
      relation.type === 'manyToMany' && shown.length > 0
        ? new PivotColumns(relation.pivotTable, shown)
        : undefined
    const attribute = relation.type === 'belongsTo' ? relation.foreignKey : relation.localKey
    this.column = columns.all.find((one) => one.attribute === attribute)!
  }

  /**
   * The resource of the related model, with the options of its first endpoints if it has any. Resolved after all models
   * are known, because two models can include each other.
   */
  get resource(): Related {
    return this.#resourceOf(this.#relation.relatedModel())
  }

  /** Maximum number of related items per record; undefined for a relation to one. */
  get limit(): number | undefined {
    if (!this.isList) return undefined
    return this.#limit ?? crudConfig().pagination.includedPerRecord
  }

  /** All names that the relation can have in a response. */
  get names(): readonly string[] {
    return this.isList ? [this.name, this.hasMore] : [this.name]
  }

  /**
   * Loads the introspection of the related table, and of the pivot table's columns.
   *
   * @throws ValueError  for an unknown column of the pivot table, or if a field of the related model is named `pivot`
   * @throws the errors of the resource's `load`
   */
  async load(this: RelationTo<LoadableTable>, client?: QueryClientContract): Promise<void> {
    const { resource } = this
    await resource.load(client)
    if (!this.pivot) return
    const which = `${this.#model.name}: include names '${this.name}'`
    if (
      [...resource.fields.map(({ apiName }) => apiName), ...resource.computed.values()].includes(
        PIVOT
      )
    ) {
      throw new ValueError(
        `${which} with pivot columns, but items of ${resource.name} have a field '${PIVOT}' already; give it another serializeAs`
      )
    }
    await this.pivot.load(resource.model, client ?? resource.client(), which)
  }

  /** True if the relation uses another table in between. */
  get isIndirect(): boolean {
    return ['manyToMany', 'hasManyThrough'].includes(this.#relation.type)
  }

  get through(): Through<Related> | undefined {
    const relation = this.#relation
    if (relation.type !== 'hasManyThrough') return undefined
    const resource = this.#resourceOf(throughModelOf(relation))
    const { foreignKey, throughForeignKey, throughLocalKey } = relation as unknown as Record<
      string,
      string
    >
    return {
      resource,
      from: attributeOf(resource, foreignKey),
      to: attributeOf(resource, throughLocalKey),
      related: attributeOf(this.resource, throughForeignKey),
    }
  }

  /** The related resource, then the one in between if there is one, each with its columns that link their rows. */
  get links(): Array<{ resource: Related; columns: Column[] }> {
    const { resource, through } = this
    if (through) {
      const { from, related, to } = through
      return [
        { resource, columns: [related] },
        { resource: through.resource, columns: [from, to] },
      ]
    }
    const { column } = this.relatedColumn
    return [{ resource, columns: 'apiName' in column ? [column as Column] : [] }]
  }

  get relatedColumn(): RelatedColumn {
    const relation = this.#relation
    const { table } = this.resource
    const own = (attribute: string) => attributeOf(this.resource, attribute)
    const { kind, sqlType } = this.column
    switch (relation.type) {
      case 'belongsTo':
        return { table, column: own(relation.localKey) }
      case 'hasOne':
      case 'hasMany':
        return { table, column: own(relation.foreignKey) }
      case 'manyToMany':
        return {
          table: relation.pivotTable,
          column: { name: relation.pivotForeignKey, kind, sqlType },
        }
      case 'hasManyThrough':
        return {
          table: throughModelOf(relation).table,
          column: { name: relation.foreignKeyColumnName, kind, sqlType },
        }
    }
  }

  /**
   * Begins the query of the related rows, with the relation's `onQuery`.
   *
   * @param values  values of the linking column of the including items, as the driver returned them, without null
   */
  query(client: QueryClientContract, values: readonly unknown[]): Query {
    const parents = values.map((value) => ({ [this.column.attribute]: value }))
    return (this.#relation as any).eagerQuery(parents, client) as Query
  }
}

/**
 * Returns the relations of the option `include`, which can have their name or API name there, by API name.
 *
 * @param taken  API names of other fields of the items
 * @throws ValueError  for an unknown relation, one that cannot be included, or a setting that it does not support
 */
export function includedRelationsOf<Related extends RelatedTable>(
  model: LucidModel,
  settings: IncludeSettings | undefined,
  columns: ColumnSet,
  taken: readonly string[],
  resourceOf: (model: LucidModel) => Related
): Map<string, RelationTo<Related>> {
  const relations = [...model.$relationsDefinitions.values()] as RelationshipsContract[]
  const includes = new Map<string, RelationTo<Related>>()
  for (const { isAlways, ...option } of optionsOf(settings)) {
    const { relation: name } = option
    checkEach(model.name, option, INCLUDE_OPTIONS, { group: 'include', mayBeUndefined: true })
    checkEach(model.name, { relation: name }, INCLUDE_OPTIONS, { group: 'include' })
    const relation =
      relations.find(({ relationName }) => relationName === name) ??
      relations.find(({ serializeAs }) => serializeAs === name)
    const error = relation ? errorOf(relation, taken, option) : noRelation(relations)
    if (error) throw new ValueError(`${model.name}: include names '${name}', ${error}`)
    const include = new RelationTo(relation!, columns, resourceOf, { ...option, isAlways })
    if (!includes.get(include.name)?.isAlways) includes.set(include.name, include)
  }
  checkMarks(model, includes)
  return includes
}

interface ReadOption extends IncludeOption {
  isAlways?: boolean
}

/** Returns the options of each relation. A relation in both lists is always included. */
function optionsOf(settings: IncludeSettings = []): ReadOption[] {
  const read = (some: Iterable<string | IncludeOption>, isAlways: boolean) =>
    [...some].map((one) =>
      typeof one === 'string' ? { relation: one, isAlways } : { ...one, isAlways }
    )
  if (!('always' in settings)) return read(settings, false)
  return [...read(settings.always, true), ...read(settings.optional ?? [], false)]
}

/** Checks that no relation has the name of another relation's mark for an incomplete list. */
function checkMarks(
  model: LucidModel,
  includes: ReadonlyMap<string, { name: string; isList: boolean; hasMore: string }>
): void {
  for (const { hasMore, isList: marks, name } of includes.values()) {
    if (!marks || !includes.has(hasMore)) continue
    throw new ValueError(
      `${model.name}: include names '${hasMore}', which is the name that says whether there are more of ${name}; give one of them another serializeAs`
    )
  }
}

function noRelation(relations: RelationshipsContract[]): string {
  return relations.length === 0
    ? 'but the model has no relations'
    : `which is not a relation of the model; its relations are ${listed(relations.map((one) => one.relationName))}`
}

/** Returns the end of an error message that begins with "include names 'x', " */
function errorOf(
  relation: RelationshipsContract,
  taken: readonly string[],
  { limit, pivot }: IncludeOption
): string | undefined {
  const { serializeAs, type } = relation
  if (!serializeAs) {
    return 'which responses must not contain, as its serializeAs is null; give it a name or leave it out'
  }
  const names = isList(relation) ? [serializeAs, hasMoreOf(serializeAs)] : [serializeAs]
  const clash = names.find((name) => taken.includes(name))
  if (clash) {
    return `which has the same name '${clash}' in the API as a field; give one of them another serializeAs`
  }
  if (limit !== undefined && !isList(relation)) {
    return `a ${type}, with a limit; only a relation to many takes one`
  }
  if (pivot !== undefined && type !== 'manyToMany') {
    return `a ${type}, with pivot; only a manyToMany has a pivot table`
  }
  try {
    relation.boot()
  } catch (error) {
    return `which can't be used: ${(error as Error).message}`
  }
}

function attributeOf({ columns }: RelatedTable, attribute: string): Column {
  return columns.all.find((one) => one.attribute === attribute)!
}

function isList({ type }: RelationshipsContract): boolean {
  return type !== 'belongsTo' && type !== 'hasOne'
}

function hasMoreOf(name: string): string {
  return `${name}_has_more`
}

const APART = new Set<LucidModel>()

/**
 * Excludes a model's records from all includes of the endpoints, regardless of its access: for internal models of a
 * part of the application.
 */
export function excludeFromInclude(model: LucidModel): void {
  APART.add(model)
}

/** True for an excluded model, or a subclass of one. */
export function isExcludedFromInclude(model: LucidModel): boolean {
  for (let one: unknown = model; typeof one === 'function'; one = Object.getPrototypeOf(one)) {
    if (APART.has(one as LucidModel)) return true
  }
  return false
}
