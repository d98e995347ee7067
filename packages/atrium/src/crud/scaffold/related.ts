import { readFile } from 'node:fs/promises'
import string from '@adonisjs/core/helpers/string'
import type { ApplicationService } from '@adonisjs/core/types'
import { ValueError } from '#base/errors'
import type { Field, ModelParts } from './field.js'
import { modelNames, type ModelNames } from './model_names.js'
import {
  findOther,
  importModel,
  importPathOf,
  isReadable,
  modelFile,
  type Reference,
} from './reference.js'
import type { Relation } from './relation.js'

/** The table between the two models of a `manyToMany` relation. */
interface Pivot {
  table: string
  /** Column that refers to the generated model */
  ownColumn: string
  /** Column that refers to the related model */
  relatedColumn: string
  related: Reference
}

/** The target of a relation. */
interface Related {
  /** Import path of the model; undefined if the relation is to the model itself */
  importPath: string | undefined
  /** Attribute of the related model that refers to this one, if it differs from Lucid's default */
  foreignKey?: string
  pivot?: Pivot
  /** True if no access to the model is configured, so responses cannot include its items */
  isUnread?: boolean
  /** True if the related records can be edited as rows in the admin form of the generated model */
  hasRows?: boolean
  /** Steps that are required before the relation works */
  need?: string
}

/**
 * Finds the model of a relation. The model can be missing if a column of it refers to the model to generate.
 *
 * @param names   names of the model to generate
 * @throws ValueError  when the relation could never work
 */
export async function findRelated(
  app: ApplicationService,
  relation: Relation,
  names: ModelNames,
  { fields }: ModelParts
): Promise<Related> {
  if (relation.kind === 'manyToMany') return await between(app, relation, names)
  if (relation.model === names.model) return toItself(relation, fields)

  const foreignKey = `${string.camelCase(names.model)}Id`
  const { model: wanted } = relation
  const file = await modelFile(app, wanted)
  if (!file) {
    const { model, modelFile: path } = modelNames(app, wanted)
    return {
      importPath: importPathOf(path),
      hasRows: true,
      need: `There is no ${model} yet, and ${names.modelFile} needs it. Make it: node ace make:crud ${model} ${string.snakeCase(names.model)}:belongsTo${relation.kind === 'hasOne' ? ':unique' : ''} FIELD...`,
    }
  }
  const model = await importModel(app, file, relation, names)
  const isThere = !model || model.$columnsDefinitions?.has(foreignKey)
  const operation = relation.kind === 'hasMany' ? 'read_multi' : 'read'
  return {
    importPath: importPathOf(file),
    ...(model && !isReadable(model, operation) && { isUnread: true }),
    ...(isThere && (await isOnSite(app, file)) && { hasRows: true }),
    ...(!isThere && {
      need: `${wanted} has no column that refers to ${names.model} yet. Add ${string.snakeCase(foreignKey)} to its table by a migration, and to app/models/${file}: @column() declare ${foreignKey}: number | null`,
    }),
  }
}

/** True if the model has admin pages. Reads its source, because the model might not be importable yet. */
async function isOnSite(app: ApplicationService, file: string): Promise<boolean> {
  return /^@AdminView\(/m.test(await readFile(app.modelsPath(file), 'utf8'))
}

function toItself({ kind, model, name }: Relation, fields: readonly Field[]): Related {
  const own = fields.find(({ relation }) => relation?.model === model)
  if (!own) {
    throw new ValueError(
      `${name}: a ${kind} to ${model} itself needs a field that refers to it, as in parent_id:belongsTo(${model})?`
    )
  }
  return { importPath: undefined, foreignKey: own.attribute }
}

/** Returns the target of a `manyToMany` relation. Table and columns have Lucid's default names. */
async function between(
  app: ApplicationService,
  { kind, model, name }: Relation,
  names: ModelNames
): Promise<Related> {
  if (model === names.model) {
    throw new ValueError(
      `${name}: a ${kind} of a ${model} with itself is not written by this command, as its two columns would have the same name`
    )
  }
  const related = await findOther(app, { name, model, kind }, names)
  const table = string.snakeCase([model, names.model].toSorted().join('_'))
  return {
    importPath: related.importPath,
    isUnread: related.isUnread,
    pivot: {
      table,
      ownColumn: `${string.snakeCase(names.model)}_id`,
      relatedColumn: string.snakeCase(`${model}_${related.keyAttribute}`),
      related,
    },
  }
}

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
