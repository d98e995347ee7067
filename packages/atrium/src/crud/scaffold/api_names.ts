import string from '@adonisjs/core/helpers/string'
import { BaseModel } from '@adonisjs/lucid/orm'

/**
 * Returns the API name of an attribute of a generated model: the JSON name according to the application's naming
 * strategy, or the column name if that strategy uses snake_case.
 *
 * @param column  column name in snake_case
 */
export function apiName(column: string, attribute: string): string {
  return usesSnakeCase() ? column : namingStrategy().serializedName(BaseModel, attribute)
}

/** Returns the API name of a relation, to which Lucid applies no naming strategy. */
export function apiNameOfRelation(attribute: string): string {
  return usesSnakeCase() ? string.snakeCase(attribute) : attribute
}

function usesSnakeCase(): boolean {
  return namingStrategy().serializedName(BaseModel, 'paidAt') === 'paid_at'
}

function namingStrategy() {
  return BaseModel.namingStrategy
}
