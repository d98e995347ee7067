import { BaseModel, CamelCaseNamingStrategy, SnakeCaseNamingStrategy } from '@adonisjs/lucid/orm'

/*
 * The wire's names are snake_case unless a model says otherwise, by a column's `serializeAs` or by a
 * naming strategy of its own. Lucid's default is camelCase since its version 22, and a model takes
 * its names while its class is read, so this must come before: every model file with `@Crud` imports
 * '#crud', and so this. A strategy that the application has set is left alone. [P6]
 */
if (BaseModel.namingStrategy.constructor === CamelCaseNamingStrategy) {
  BaseModel.namingStrategy = new SnakeCaseNamingStrategy()
}
