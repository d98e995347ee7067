import { basename } from 'node:path'
import { pathToFileURL } from 'node:url'
import { access } from 'node:fs/promises'
import { fsReadAll } from '@adonisjs/core/helpers'
import type { ApplicationService } from '@adonisjs/core/types'
import db from '@adonisjs/lucid/services/db'
import type { LucidModel } from '@adonisjs/lucid/types/model'
import { dialectOf } from '../database/dialects.js'
import { crudOptionsOf } from '../decorator.js'
import { listed, ValueError } from '../errors.js'
import type { Field } from './field.js'
import { FIELD_TYPES, type FieldType } from './field_types.js'
import type { ModelNames } from './model_names.js'

/** The target of a `belongsTo` field. */
export interface Reference {
  /** Class name */
  model: string
  /** Import path of the model; undefined if the model refers to itself */
  importPath: string | undefined
  table: string
  /** The key's column and attribute in the target */
  key: string
  keyAttribute: string
  /** The type of the key, which the referring column shares */
  type: FieldType
  parameters: readonly string[]
  /** Import path of its factory, if it has one */
  factoryPath: string | undefined
  /** True if no access to it is configured, so that no answer can include it [Q3] */
  isUnread?: boolean
}

/**
 * Finds the model that a field refers to, in `app/models`.
 *
 * @param names  of the model to generate
 * @throws ValueError  when there is none, or one column cannot refer to it
 */
export async function findReference(
  app: ApplicationService,
  field: Field,
  names: ModelNames
): Promise<Reference> {
  const wanted = field.relation!.model
  if (wanted === names.model) return toItself(field, names)

  const files = await modelFiles(app)
  const file = files.find((path) => basename(path, '.ts') === fileName(app, wanted))
  if (!file) {
    const known = files.map((path) => app.generators.modelName(basename(path)))
    throw new ValueError(
      `${field.name}: there is no model ${wanted} in app/models, which has ${listed(known)}; make it first, as in: node ace make:crud ${wanted} name:string, or name the one that is meant, as in ${field.name}:belongsTo(${known[0] ?? names.model})`
    )
  }
  const { default: model } = await import(pathToFileURL(app.modelsPath(file)).href).catch(
    (error) => {
      throw new ValueError(`${field.name}: ${wanted} can't be imported: ${error.message}`)
    }
  )
  const columns: LucidModel['$columnsDefinitions'] = model?.$columnsDefinitions ?? new Map()
  const keys = [...columns].filter(([, { isPrimary }]) => isPrimary)
  if (keys.length !== 1) {
    throw new ValueError(
      `${field.name}: ${wanted} has ${keys.length === 0 ? 'no key' : 'a key of several columns'}, so no single field can refer to it`
    )
  }
  const [keyAttribute, { columnName: key }] = keys[0]
  return {
    model: wanted,
    importPath: `#models/${file.replaceAll('\\', '/').replace(/\.ts$/, '')}`,
    table: model.table,
    key,
    keyAttribute,
    ...(await keyType(field, model, keyAttribute, key)),
    factoryPath: await factoryPath(app, wanted),
    ...(!isReadable(model) && { isUnread: true }),
  }
}

/** True if answers can include its items, which needs configured access. [Q3] */
function isReadable(model: LucidModel): boolean {
  const options = crudOptionsOf(model)
  if (!options) return false
  const { access: own, includedMethods, deletedMethods } = options
  if (typeof own === 'string' || own?.read) return true
  const isIncluded = !includedMethods || [...includedMethods].includes('read')
  return isIncluded && ![...(deletedMethods ?? [])].includes('read')
}

function toItself(field: Field, names: ModelNames): Reference {
  if (!field.nullable) {
    throw new ValueError(
      `${field.name}: the first ${names.model} could refer to none; let it be null, as in ${field.name}:belongsTo(${names.model})?`
    )
  }
  return {
    model: names.model,
    importPath: undefined,
    table: names.table,
    key: 'id',
    keyAttribute: 'id',
    type: typeCalled('integer'),
    parameters: [],
    factoryPath: undefined,
  }
}

/** The type in the database; without a table, the type that the model declares. */
async function keyType(field: Field, model: LucidModel, attribute: string, column: string) {
  const sqlType = await sqlTypeOf(model, column)
  const declared = Reflect.getMetadata('design:type', model.prototype, attribute)
  if (sqlType === undefined && declared !== Number) {
    throw new ValueError(
      `${field.name}: the key of ${model.name} is no number, and only its table tells what else; make that first: node ace migrate`
    )
  }
  if (sqlType === undefined || /^(big)?(int|serial)/.test(sqlType)) {
    return { type: typeCalled(sqlType?.startsWith('big') ? 'bigint' : 'integer'), parameters: [] }
  }
  if (/^(uuid|char\(36\))/.test(sqlType)) return { type: typeCalled('uuid'), parameters: [] }
  const [length = '255'] = /\d+/.exec(sqlType) ?? []
  return { type: typeCalled('string'), parameters: [length] }
}

/** An empty or missing database does not stop the command. */
async function sqlTypeOf(model: LucidModel, column: string): Promise<string | undefined> {
  try {
    const client = db.connection(model.connection)
    const introspection = await dialectOf(client).readTable(client, model.table)
    return introspection?.columns.get(column)?.sqlType
  } catch {
    return undefined
  }
}

function typeCalled(name: string): FieldType {
  return FIELD_TYPES.find((type) => type.name === name)!
}

async function modelFiles(app: ApplicationService): Promise<string[]> {
  return await fsReadAll(app.modelsPath(), {
    ignoreMissingRoot: true,
    filter: (path) => path.endsWith('.ts') && !path.endsWith('.d.ts'),
  })
}

function fileName(app: ApplicationService, model: string): string {
  return basename(app.generators.modelFileName(model), '.ts')
}

async function factoryPath(app: ApplicationService, model: string): Promise<string | undefined> {
  const file = app.generators.factoryFileName(model)
  try {
    await access(app.factoriesPath(file))
    return `#database/factories/${file.replace(/\.ts$/, '')}`
  } catch {
    return undefined
  }
}
