import string from '@adonisjs/core/helpers/string'
import type { ApplicationService } from '@adonisjs/core/types'
import { ValueError } from '#base/errors'
import { checkClassName } from './reserved.js'
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

/* A table name is part of constraint names, which databases cut at 63 characters. */
const LONGEST_TABLE = 40

/** Names of a model's class, table and files. */
export interface ModelNames {
  /** Class name, such as `OrderLine` */
  model: string
  /** Table name, such as `order_lines` */
  table: string
  /** Plural heading: `Order lines` */
  label: string
  /** Path below the prefix, such as `/order-lines` */
  path: string
  modelFile: string
  factory: string
  factoryFile: string
  /** File name such as `order_lines.spec.ts` */
  testFile: string
}

/**
 * Derives the names of a model from a name in any notation and number: `order_lines`, `order line` and `OrderLine` are
 * the same model.
 *
 * @throws ValueError  when the name is not valid for a model
 */
export function modelNames(app: ApplicationService, given: string): ModelNames {
  const name = given.trim()
  if (!/^[a-z][\w -]*$/i.test(name)) {
    throw new ValueError(
      `'${given}' can't be a model: its name is made of letters and digits, as in OrderLine`
    )
  }
  const { generators } = app
  const model = generators.modelName(name)
  if (model === '') throw new ValueError(`'${given}' can't be a model: it is what all of them are`)
  checkClassName(model)

  const table = string.plural(string.snakeCase(model))
  if (table.length > LONGEST_TABLE) {
    throw new ValueError(
      `'${given}' can't be a model: its table's name, ${table}, has more than ${LONGEST_TABLE} characters`
    )
  }
  return {
    model,
    table,
    label: string.sentenceCase(table),
    path: `/${table.replaceAll('_', '-')}`,
    modelFile: generators.modelFileName(model),
    factory: generators.factoryName(model),
    factoryFile: generators.factoryFileName(model),
    testFile: `${table}.spec.ts`,
  }
}
