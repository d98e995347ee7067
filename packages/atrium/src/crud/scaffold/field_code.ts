import string from '@adonisjs/core/helpers/string'
import { BaseModel } from '@adonisjs/lucid/orm'
import { apiNameOfRelation } from './model_names.js'
import { OWN_PARAMETERS } from '../request/query_string.js'
import type { Field } from './field.js'
import type { FieldType } from './field_types.js'
import type { Reference } from './reference.js'

/** TypeScript code of one field in the generated files. */
export class FieldCode {
  readonly #type: FieldType
  readonly #parameters: readonly string[]

  /** @param reference  target of a `belongsTo`; the column has the type of its key */
  constructor(
    readonly field: Field,
    readonly reference?: Reference
  ) {
    this.#type = reference?.type ?? field.type
    this.#parameters = reference?.parameters ?? field.parameters
  }

  /** True if a create must contain a value */
  get isRequired(): boolean {
    return !this.field.nullable && this.field.default === undefined
  }

  get usesDateTime(): boolean {
    return this.#type.decorator !== 'column'
  }

  /** The column in the model, followed by the relation. */
  get declaration(): string {
    const { attribute, nullable, relation } = this.field
    const base = this.#type.typescript(this.#parameters)
    const type = nullable && base !== 'unknown' ? `${base} | null` : base
    const column = `${this.#comment}@${this.#type.decorator}(${this.#columnOptions})\ndeclare ${attribute}: ${type}`
    if (!relation || !this.reference) return column
    const { model, keyAttribute } = this.reference
    const isUsual = keyAttribute === 'id' && attribute === `${string.camelCase(model)}Id`
    const options = [
      isUsual ? [] : `foreignKey: '${attribute}'`,
      this.include === relation.name ? [] : `serializeAs: '${this.include}'`,
    ].flat()
    const given = options.length > 0 ? `, { ${options.join(', ')} }` : ''
    return `${column}\n\n@belongsTo(() => ${model}${given})\ndeclare ${relation.name}: BelongsTo<typeof ${model}>`
  }

  /** API name of the relation that responses can include; undefined if there is none. */
  get include(): string | undefined {
    return this.field.relation && apiNameOfRelation(this.field.relation.name)
  }

  /** The field in the schema of a create. */
  get rule(): string {
    const { name, nullable } = this.field
    const ends = (nullable ? '.nullable()' : '') + (this.isRequired ? '' : '.optional()')
    return `${name}: vine.${this.#type.rule(this.#parameters)}${ends},`
  }

  /** Filters of the list by name, except those with the name of a list parameter. */
  get filters(): string[] {
    const { name, type } = this.field
    return type.filters
      .map((operator) => (operator === '' ? name : `${name}__${operator}`))
      .filter((filter) => !OWN_PARAMETERS.includes(filter as any))
  }

  /** The column in the migration. */
  get column(): string {
    const { column, nullable, unique, index, default: fallback } = this.field
    const [method, ...parameters] = this.#type.column(this.#parameters)
    const parts = [`table.${method}(${[`'${column}'`, ...parameters].join(', ')})`]
    if (this.reference && ['integer', 'bigInteger'].includes(method)) parts.push('unsigned()')
    parts.push(nullable ? 'nullable()' : 'notNullable()')
    if (fallback !== undefined) parts.push(`defaultTo(${fallback})`)
    if (this.reference) {
      const { table, key } = this.reference
      parts.push(`references('${key}')`, `inTable('${table}')`, `onDelete('RESTRICT')`)
    }
    if (unique) parts.push('unique()')
    if (index || (this.reference && !unique)) parts.push('index()')
    return parts.join('.')
  }

  /** The attribute in the factory; undefined if the factory would need a record of another model. */
  get fake(): string | undefined {
    if (this.reference) return undefined
    return `${this.field.attribute}: ${this.#type.fake(this.#parameters, this.field.unique)},`
  }

  get #comment(): string {
    return this.#type.name === 'json'
      ? '/** Own code writes it as JSON text, and on SQLite and MariaDB it reads such text */\n'
      : ''
  }

  /**
   * Options of the column, without those that Lucid derives from the attribute: for `line2` Lucid would use `line_2`.
   */
  get #columnOptions(): string {
    const { name, column, attribute, isPrimary, isHidden, automatic } = this.field
    const usual = string.snakeCase(attribute)
    const usualName = BaseModel.namingStrategy.serializedName(BaseModel, attribute)
    const options = [
      isPrimary ? 'isPrimary: true' : [],
      automatic ? 'autoCreate: true' : [],
      automatic === 'update' ? 'autoUpdate: true' : [],
      column === usual ? [] : `columnName: ${JSON.stringify(column)}`,
      isHidden ? 'serializeAs: null' : name === usualName ? [] : `serializeAs: '${name}'`,
    ].flat()
    return options.length > 0 ? `{ ${options.join(', ')} }` : ''
  }
}
