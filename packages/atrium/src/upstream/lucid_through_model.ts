/*
 * Lucid 22.4.2: a relation of the type `hasManyThrough` has the model between in `throughModel`, which its
 * public type leaves out. No issue known. It can go when `throughModel` is in that type: then the compiler
 * refuses the line below that expects an error.
 */
import type { LucidModel } from '@adonisjs/lucid/types/model'
import type { HasManyThroughRelationContract } from '@adonisjs/lucid/types/relations'
import { expectGround, hasMethods } from './expect_ground.js'

/**
 * The model in between, through which the related records are found.
 *
 * @throws Exception  when the relation does not have it
 */
export function throughModelOf(
  relation: HasManyThroughRelationContract<LucidModel, LucidModel>
): LucidModel {
  expectGround('@adonisjs/lucid', 'lucid_through_model', {
    'HasManyThrough#throughModel': hasMethods(relation, 'throughModel'),
  })
  // @ts-expect-error: it is not in the type
  return relation.throughModel()
}
