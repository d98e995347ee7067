import db from '@adonisjs/lucid/services/db'
import type { LucidModel } from '@adonisjs/lucid/types/model'

/** Name of the model's connection; the application's default where the model names none. */
export function connectionOf({ connection }: LucidModel): string {
  return connection ?? db.primaryConnectionName
}
