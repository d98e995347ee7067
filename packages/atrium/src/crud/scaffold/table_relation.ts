import string from '@adonisjs/core/helpers/string'
import { apiNameOfRelation } from './model_names.js'
import type { RelationKind } from './relation.js'

/** A model that a relation refers to: a model to generate, or an existing one in `app/models`. */
export interface RelatedModel {
  /** Class name */
  model: string
  importPath: string
  table: string
  keyAttributes: readonly string[]
  /** True if responses cannot include its records */
  isUnread: boolean
  /** Returns the attribute of a column, ignoring case; undefined if there is none */
  attributeOf(column: string): string | undefined
}

/** A relation for a foreign key of the database. */
export class TableRelation {
  /**
   * @param name     attribute of the model
   * @param options  options of Lucid's decorator
   */
  constructor(
    readonly name: string,
    readonly kind: 'belongsTo' | RelationKind,
    readonly related: RelatedModel,
    readonly options: Readonly<Record<string, string | undefined>>
  ) {}

  /** Type name such as `BelongsTo` */
  get type(): string {
    return string.pascalCase(this.kind)
  }

  /** API name, if responses can include the relation. */
  get include(): string | undefined {
    return this.related.isUnread ? undefined : apiNameOfRelation(this.name)
  }

  get declaration(): string {
    const { name, related } = this
    const serializeAs = apiNameOfRelation(name)
    const options = Object.entries({
      ...this.options,
      serializeAs: serializeAs === name ? undefined : serializeAs,
    })
      .filter(([, value]) => value !== undefined)
      .map(([option, value]) => `${option}: ${JSON.stringify(value)}`)
    const given = options.length > 0 ? `, { ${options.join(', ')} }` : ''
    return `@${this.kind}(() => ${related.model}${given})\ndeclare ${name}: ${this.type}<typeof ${related.model}>`
  }
}

/**
 * Returns the attribute for the key option of a relation; undefined if it is the model's only key, which is Lucid's
 * default.
 */
export function unlessKey(model: RelatedModel, attribute: string): string | undefined {
  const [key, ...others] = model.keyAttributes
  return key === attribute && others.length === 0 ? undefined : attribute
}
