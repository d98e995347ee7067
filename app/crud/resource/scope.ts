import type { LucidModel, ModelQueryBuilderContract } from '@adonisjs/lucid/types/model'
import type { Actor } from '../types.js'

/**
 * Narrows a query to the rows that the actor may see. What it hides does not exist for them. [P14]
 */
export type Scope = (query: ModelQueryBuilderContract<LucidModel, any>, actor: Actor) => void
