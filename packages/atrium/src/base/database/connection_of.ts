import db from '@adonisjs/lucid/services/db'
import type { LucidModel } from '@adonisjs/lucid/types/model'

/** Returns the name of the model's connection, or the application's default connection. */
export function connectionOf({ connection }: LucidModel): string {
  return connection ?? db.primaryConnectionName
}
