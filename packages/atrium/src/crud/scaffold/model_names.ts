import string from '@adonisjs/core/helpers/string'
import type { ApplicationService } from '@adonisjs/core/types'
import { ValueError } from '#base/errors'
import { checkClassName } from './reserved.js'

/* Together with a column's name it forms a constraint's name, which databases cut at 63. */
const LONGEST_TABLE = 40

/** The names of a model's class, table and files. */
export interface ModelNames {
  /** The class, as in `OrderLine` */
  model: string
  /** As in `order_lines` */
  table: string
  /** Plural heading: `Order lines` */
  label: string
  /** Below the model's prefix, as in `/order-lines` */
  path: string
  modelFile: string
  factory: string
  factoryFile: string
  /** As in `order_lines.spec.ts` */
  testFile: string
}

/**
 * Derives the names of a model from one in any case and number: `order_lines`, `order line` and
 * `OrderLine` are the same model.
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
