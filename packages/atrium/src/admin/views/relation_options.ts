import { onQueryOf } from '#upstream/lucid_relations'
import type { RelationshipsContract } from '@adonisjs/lucid/types/relations'
import type { LucidModel } from '@adonisjs/lucid/types/model'
import { ValueError } from '#crud'
import { listed } from '#base/errors'
import { pivotRelationOf, pivotRelationsOf, type PivotRelation } from '#base/lucid/pivot_relation'
import { isList, isObject, LABEL, POSITIVE, TEXT, TEXTS, type Check } from '#base/checks'

/**
 * Returns the many-to-many relations that are fields of a view: those of the option `manyToMany`, otherwise all
 * relations without custom conditions, as an attached record might not meet such conditions.
 *
 * @param taken  names of the view's other fields, which take precedence
 */
export function manyToManyRelations(
  model: LucidModel,
  option: Iterable<string> | undefined,
  taken: Iterable<string>
): PivotRelation[] {
  const names = new Set(taken)
  const relations = option
    ? [...new Set(option)].flatMap((name) => pivotRelationOf(model, name) ?? [])
    : pivotRelationsOf(model)
  return [...new Set(relations)].filter(
    ({ isWhole, name, relation }) =>
      isWhole && !names.has(name) && !names.has(relation.relationName)
  )
}

/**
 * Returns the error of the option `manyToMany`, or null.
 *
 * @param taken  names of the view's other fields
 */
export function manyToManyError(
  model: LucidModel,
  names: Iterable<string>,
  taken: Iterable<string>
): string | null {
  const all = [...model.$relationsDefinitions.values()].filter(({ type }) => type === 'manyToMany')
  for (const name of names) {
    const declared = all.find(
      ({ relationName, serializeAs }) => relationName === name || serializeAs === name
    )
    const there = all.map(({ relationName }) => relationName)
    if (!declared) {
      return `manyToMany names '${name}', which is not a manyToMany relation of the model; it has ${there.length > 0 ? listed(there) : 'none'}`
    }
    const error = errorOf(declared)
    if (error) return `manyToMany names '${name}', ${error}`
    const relation = pivotRelationOf(model, name)
    if (!relation) {
      return `manyToMany names '${name}', whose name responses and events must not show; give it another name or serializeAs`
    }
    if (!relation.isWhole) {
      return `manyToMany names '${name}', whose onQuery a form can't apply; make a relation without one, or leave it out`
    }
    if ([...taken].some((one) => one === relation.name || one === name)) {
      return `manyToMany names '${name}', which is the name of another field; give the relation another serializeAs`
    }
  }
  return null
}

/**
 * Checks that each `pivot` in a field's options refers to columns that the relation declares in `pivotColumns`.
 *
 * @param name  name of the model
 * @throws ValueError
 */
export function checkPivotNames(
  name: string,
  fields: Readonly<Record<string, { pivot?: Record<string, unknown> }>>,
  relations: readonly PivotRelation[]
): void {
  for (const [field, { pivot }] of Object.entries(fields)) {
    if (!pivot) continue
    const relation = relations.find((one) => one.name === field)
    if (!relation) {
      throw new ValueError(
        `${name}: fields.${field}.pivot is for a many-to-many relation, which '${field}' is not`
      )
    }
    const unknown = Object.keys(pivot).filter((column) => !relation.columns.includes(column))
    if (unknown.length > 0) {
      throw new ValueError(
        `${name}: fields.${field}.pivot names ${listed(unknown)}, which the relation's pivotColumns do not; they are ${relation.columns.length > 0 ? listed(relation.columns) : 'none'}`
      )
    }
  }
}

function errorOf(relation: { boot(): void; serializeAs: string | null }): string | undefined {
  if (relation.serializeAs === null)
    return 'whose serializeAs is null; give it a name or leave it out'
  try {
    relation.boot()
  } catch (error) {
    return `which can't be used: ${(error as Error).message}`
  }
}

/**
 * Returns the names of the relations whose records are listed below a record: those of the option `related`,
 * otherwise every `hasMany` without custom conditions, as a list cannot apply such conditions.
 */
export function relatedNames(model: LucidModel, option: Iterable<string> | undefined): string[] {
  if (option) return [...new Set(option)]
  return [...model.$relationsDefinitions]
    .filter(([, relation]) => relation.type === 'hasMany' && isUnnarrowed(relation))
    .map(([name]) => name)
}

/** Returns the error of the option `related`, or null. */
export function relatedError(model: LucidModel, names: Iterable<string>): string | null {
  for (const name of names) {
    const relation = model.$relationsDefinitions.get(name)
    if (relation?.type !== 'hasMany' && relation?.type !== 'hasOne') {
      return `related names '${name}', which is not a hasMany or hasOne relation of the model`
    }
    if (!isUnnarrowed(relation)) {
      return `related names '${name}', whose onQuery can't be applied to a list`
    }
  }
  return null
}

/** Returns true if the relation has no custom conditions that limit its records. */
function isUnnarrowed(relation: RelationshipsContract): boolean {
  return !onQueryOf(relation)
}

/** Number of blank rows in a form without JavaScript */
export const DEFAULT_UNUSED_ROWS = 3

/** Options of an inline: `hasMany` or `hasOne` rows in the form of their parent. */
export interface InlineOptions {
  /** Name of the relation */
  relation: string
  /** Heading of the rows. Default: the plural of the related model */
  label?: string
  /**
   * API names of the columns of a row, in order. Default: the fields of the related model's form, without files and
   * the foreign key
   */
  fields?: Iterable<string>
  /** API name of a number column that stores the order of the rows, as 1, 2, 3 and so on */
  sort?: string
  /** Number of blank rows without JavaScript. Default: 3 */
  spare?: number
  /** Figures below the rows, such as `amount:sum`. Default: `summaries` of the related model */
  summaries?: Iterable<string>
}

/** The options, or only the name of the relation. */
export type InlineOption = string | InlineOptions

/** Checks the shape of summaries such as `us_gross:sum`. */
export const SUMMARIES: Check = [
  (value) =>
    isList(value, (one) => typeof one === 'string' && /^[^:,]+:(?:sum|avg|min|max)$/.test(one)),
  "a list of columns with sum, avg, min or max, as in ['us_gross:sum']",
]

const COUNT: Check = [
  (value) => value === 0 || (POSITIVE[0](value) && value <= 20),
  'a number from 0 to 20',
]

const CHECKS: Record<keyof Required<InlineOptions>, Check> = {
  relation: LABEL,
  label: LABEL,
  fields: TEXTS,
  sort: TEXT,
  spare: COUNT,
  summaries: SUMMARIES,
}

/** Checks the shape of the option `inlines`. The names in it are checked when all models are known. */
export const INLINES: Check = [
  (value) => isList(value, isInline),
  "a list of relations' names and of objects as { relation: 'items', fields: ['quantity'], sort: 'position' }",
]

/** Returns the option with every inline as an object. */
export function inlineOptions(option: Iterable<InlineOption> | undefined): InlineOptions[] {
  return [...(option ?? [])].map((one) => (typeof one === 'string' ? { relation: one } : one))
}

function isInline(value: unknown): boolean {
  if (typeof value === 'string') return LABEL[0](value)
  if (!isObject(value) || !('relation' in value)) return false
  return Object.entries(value).every(([name, one]) => {
    const check = Object.hasOwn(CHECKS, name) ? CHECKS[name as keyof InlineOptions] : undefined
    return check !== undefined && (one === undefined || check[0](one))
  })
}
