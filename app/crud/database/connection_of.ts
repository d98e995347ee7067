import db from '@adonisjs/lucid/services/db'
import type { LucidModel } from '@adonisjs/lucid/types/model'

/**
 * The name of the connection that a model's rows lie in: a model that says nothing uses the application's
 * first one, and so may one that names it.
 */
export function connectionOf({ connection }: LucidModel): string {
  return connection ?? db.primaryConnectionName
}
