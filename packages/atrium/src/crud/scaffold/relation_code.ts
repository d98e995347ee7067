import string from '@adonisjs/core/helpers/string'
import type { ModelNames } from './model_names.js'
import type { Related } from './related.js'
import type { Relation } from './relation.js'

/** TypeScript code of one relation in the generated files. */
export class RelationCode {
  constructor(
    readonly relation: Relation,
    readonly related: Related
  ) {}

  /** Type of the relation in the model, such as `HasMany`; also the name of the import. */
  get type(): string {
    return string.pascalCase(this.relation.kind)
  }

  /** The relation in the model. */
  get declaration(): string {
    const { attribute, kind, model, name } = this.relation
    const { foreignKey } = this.related
    const options = [
      foreignKey === undefined ? [] : `foreignKey: '${foreignKey}'`,
      name === attribute ? [] : `serializeAs: '${name}'`,
    ].flat()
    const given = options.length > 0 ? `, { ${options.join(', ')} }` : ''
    return `@${kind}(() => ${model}${given})\ndeclare ${attribute}: ${this.type}<typeof ${model}>`
  }

  /** API name of the relation if responses can include it. */
  get include(): string | undefined {
    return this.related.isUnread ? undefined : this.relation.name
  }

  /**
   * Returns the columns of the pivot table for its migration; undefined without a pivot table.
   *
   * @param names  names of the generated model
   */
  pivotColumns(names: ModelNames): string | undefined {
    const { pivot } = this.related
    if (!pivot) return undefined
    const { ownColumn, related, relatedColumn } = pivot
    const [method, ...parameters] = related.type.column(related.parameters)
    const isNumber = ['integer', 'bigInteger'].includes(method)
    const type = `table.${method}(${[`'${relatedColumn}'`, ...parameters].join(', ')})${isNumber ? '.unsigned()' : ''}`
    return [
      `table.integer('${ownColumn}').unsigned().notNullable().references('id').inTable('${names.table}').onDelete('CASCADE')`,
      `${type}.notNullable().references('${related.key}').inTable('${related.table}').onDelete('CASCADE').index()`,
      `table.primary(['${ownColumn}', '${relatedColumn}'])`,
    ].join('\n')
  }
}
