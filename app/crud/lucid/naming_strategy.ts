import { BaseModel, CamelCaseNamingStrategy, SnakeCaseNamingStrategy } from '@adonisjs/lucid/orm'

/*
 * API names are snake_case, unless a model says otherwise by a column's `serializeAs` or by its own
 * naming strategy. Lucid's default is camelCase since version 22, and a model takes its names while its
 * class is defined, so this module must run before: every model file with `@Crud` imports '#crud', which
 * imports it. A strategy that the application has set stays. [P6]
 */
if (BaseModel.namingStrategy.constructor === CamelCaseNamingStrategy) {
  BaseModel.namingStrategy = new SnakeCaseNamingStrategy()
}
