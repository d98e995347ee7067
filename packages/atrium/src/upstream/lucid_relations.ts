/*
 * Lucid 22.4.2 has parts of relations that its types leave out: the function of `onQuery`, the model between the two of
 * a `hasManyThrough`, the timestamps of pivot rows, and what `groupLimit` and `groupOrderBy` have set, which only its own
 * preloader applies. No issue known. The code can be removed when the types have these parts.
 */
import { readFileSync } from 'node:fs'
import { BaseModel, hasManyThrough, manyToMany } from '@adonisjs/lucid/orm'
import type { LucidModel } from '@adonisjs/lucid/types/model'
import type {
  HasManyThroughRelationContract,
  ManyToManyRelationContract,
  RelationQueryBuilderContract,
  RelationshipsContract,
} from '@adonisjs/lucid/types/relations'
import { expectLibrary } from './expect_library.js'

type OnQuery = (query: any) => void

interface GroupLimit {
  limit?: number
  orderBy?: { column: string; direction?: 'asc' | 'desc' }
}

class Probe extends BaseModel {}
hasManyThrough([() => Probe, () => Probe], { onQuery() {} })(Probe.prototype as any, 'through')
manyToMany(() => Probe, { pivotTimestamps: true })(Probe.prototype as any, 'many')

/** Source of Lucid's class, which is read because only a query has an instance */
const QUERY = new URL(
  'src/orm/relations/base/query_builder.js',
  import.meta.resolve('@adonisjs/lucid')
)

/**
 * Checks the parts of Lucid that this file relies on.
 *
 * @throws Exception  when relations have other parts
 */
export function checkLibrary({
  through = Probe.$getRelation('through') as any,
  many = Probe.$getRelation('many') as any,
  query = readFileSync(QUERY, 'utf8'),
}: Record<string, any> = {}): void {
  expectLibrary('@adonisjs/lucid', 'lucid_relations', {
    'onQueryHook of a relation': typeof through.onQueryHook === 'function',
    'throughModel of a relation': typeof through.throughModel === 'function',
    'pivotTimestamps of a relation': Array.isArray(many.pivotTimestamps),
    'groupConstraints of a query': query.includes('groupConstraints'),
  })
}

/** Returns the function of a relation's `onQuery`. */
export function onQueryOf(relation: RelationshipsContract): OnQuery | undefined {
  return (relation as { onQueryHook?: OnQuery }).onQueryHook
}

/** Returns the model between the two of a relation. */
export function throughModelOf(relation: HasManyThroughRelationContract<any, any>): LucidModel {
  return (relation as unknown as { throughModel: () => LucidModel }).throughModel()
}

/** Returns the columns of the pivot table that Lucid sets to the current time. */
export function pivotTimestampsOf(relation: ManyToManyRelationContract<any, any>): string[] {
  return (relation as unknown as { pivotTimestamps: string[] }).pivotTimestamps
}

/** Returns the limit and the order that `groupLimit` and `groupOrderBy` have set. */
export function groupLimitOf(query: RelationQueryBuilderContract<any, any>): GroupLimit {
  return (query as unknown as { groupConstraints: GroupLimit }).groupConstraints
}
