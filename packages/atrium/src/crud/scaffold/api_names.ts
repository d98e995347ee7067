import string from '@adonisjs/core/helpers/string'
import { BaseModel } from '@adonisjs/lucid/orm'

/**
 * Name in the API of an attribute of a generated model: as the application's naming strategy writes names in JSON, or the
 * column's where that is snake_case, too.
 *
 * @param column  in snake_case
 */
export function apiName(column: string, attribute: string): string {
  return usesSnakeCase() ? column : namingStrategy().serializedName(BaseModel, attribute)
}

/** The same of a relation, whose name Lucid leaves as it is. */
export function apiNameOfRelation(attribute: string): string {
  return usesSnakeCase() ? string.snakeCase(attribute) : attribute
}

function usesSnakeCase(): boolean {
  return namingStrategy().serializedName(BaseModel, 'paidAt') === 'paid_at'
}

function namingStrategy() {
  return BaseModel.namingStrategy
}
