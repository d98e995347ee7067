/*
 * Lucid 22.4.2: `groupLimit` of a relation's query works only when its own preloader runs the query; what was
 * set is in the protected `groupConstraints`. No issue known. It can go when that is public: then the compiler
 * refuses the line below that expects an error.
 */
import type { RelationQueryBuilderContract } from '@adonisjs/lucid/types/relations'
import { expectGround } from './expect_ground.js'

/** The limit and the order that `groupLimit` and `groupOrderBy` of a query have set. */
interface GroupLimit {
  limit?: number
  orderBy?: { column: string; direction?: 'asc' | 'desc' }
}

/**
 * The number of rows for each parent that a relation's query limits itself to, and their order.
 *
 * @throws Exception  when the query does not have it
 */
export function groupLimitOf(query: RelationQueryBuilderContract<any, any>): GroupLimit {
  // @ts-expect-error: it is not in the type
  const constraints = query.groupConstraints as GroupLimit | undefined
  expectGround('@adonisjs/lucid', 'lucid_group_limit', {
    'BaseQueryBuilder#groupConstraints': typeof constraints === 'object',
  })
  return constraints!
}
