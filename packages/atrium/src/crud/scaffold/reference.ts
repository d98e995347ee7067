import { basename } from 'node:path'
import { pathToFileURL } from 'node:url'
import { access, readFile } from 'node:fs/promises'
import { fsReadAll } from '@adonisjs/core/helpers'
import type { ApplicationService } from '@adonisjs/core/types'
import db from '@adonisjs/lucid/services/db'
import type { LucidModel } from '@adonisjs/lucid/types/model'
import { dialectOf } from '#base/database/dialects'
import { crudOptionsOf } from '../decorator.js'
import { listed, ValueError } from '#base/errors'
import type { Field } from './field.js'
import type { RelationKind } from './relation.js'
import { typeCalled, type FieldType } from './field_types.js'
import { modelNames, type ModelNames } from './model_names.js'

/** A field or relation that refers to another model. */
interface Referring {
  name: string
  /** Class name of the other model */
  model: string
  /** Type in the argument, for error messages */
  kind: 'belongsTo' | RelationKind
}

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
  /** Type of the key, which the referring column also has */
  type: FieldType
  parameters: readonly string[]
  /** Import path of the model's factory, if it has one */
  factoryPath: string | undefined
  /** True if no access to the model is configured, so responses cannot include its items */
  isUnread?: boolean
}

/**
 * Finds the model in `app/models` that a field refers to.
 *
 * @param names  names of the model to generate
 * @throws ValueError  when there is none, or a single column cannot refer to it
 */
export async function findReference(
  app: ApplicationService,
  field: Field,
  names: ModelNames
): Promise<Reference> {
  const { model } = field.relation!
  if (model === names.model) return toItself(field, names)
  return await findOther(app, { name: field.name, model, kind: 'belongsTo' }, names)
}

/**
 * Finds another model in `app/models`.
 *
 * @throws ValueError  when there is none, or a single column cannot refer to it
 */
export async function findOther(
  app: ApplicationService,
  referring: Referring,
  names: ModelNames
): Promise<Reference> {
  const { kind, model: wanted, name } = referring
  const file = await modelFile(app, wanted)
  if (!file) {
    const files = await modelFiles(app)
    const known = files.map((path) => app.generators.modelName(basename(path)))
    throw new ValueError(
      `${name}: there is no model ${wanted} in app/models, which has ${listed(known)}; make it first, as in: node ace make:crud ${wanted} name:string, or name the one that is meant, as in ${name}:${kind}(${known[0] ?? names.model})`
    )
  }
  const found = {
    model: wanted,
    importPath: importPathOf(file),
    factoryPath: await factoryPath(app, wanted),
  }
  const model = await importModel(app, file, referring, names)
  if (!model) return { ...found, ...(await writtenKey(app, file, referring)) }

  const columns: LucidModel['$columnsDefinitions'] = model.$columnsDefinitions ?? new Map()
  const keys = [...columns].filter(([, { isPrimary }]) => isPrimary)
  if (keys.length !== 1) {
    throw new ValueError(
      `${name}: ${wanted} has ${keys.length === 0 ? 'no key' : 'a key of several columns'}, so no single field can refer to it`
    )
  }
  const [keyAttribute, { columnName: key }] = keys[0]
  return {
    ...found,
    table: model.table,
    key,
    keyAttribute,
    ...(await keyType(name, model, keyAttribute, key)),
    ...(!isReadable(model, kind === 'manyToMany' ? 'read_multi' : 'read') && { isUnread: true }),
  }
}

/** Returns the file of a model below `app/models`. */
export async function modelFile(app: ApplicationService, model: string) {
  const name = basename(app.generators.modelFileName(model), '.ts')
  const files = await modelFiles(app)
  return files.find((path) => basename(path, '.ts') === name)
}

export function importPathOf(file: string): string {
  return `#models/${file.replaceAll('\\', '/').replace(/\.ts$/, '')}`
}

/**
 * Imports a model.
 *
 * @returns undefined if it cannot be imported yet because it has a relation to the model to generate
 * @throws ValueError  for any other error
 */
export async function importModel(
  app: ApplicationService,
  file: string,
  { model, name }: Referring,
  names: ModelNames
): Promise<LucidModel | undefined> {
  try {
    const { default: exported } = await import(pathToFileURL(app.modelsPath(file)).href)
    exported?.boot?.()
    return exported ?? {}
  } catch (error: any) {
    const missing = `/${names.modelFile.replace(/\.ts$/, '')}.`
    if (
      error.code === 'ERR_MODULE_NOT_FOUND' &&
      String(error.url ?? error.message).includes(missing)
    )
      return undefined
    throw new ValueError(`${name}: ${model} can't be imported: ${error.message}`)
  }
}

/** Reads the key of a model that `make:crud` has written, and that refers to the model to generate. */
async function writtenKey(app: ApplicationService, file: string, { model, name }: Referring) {
  const text = await readFile(app.modelsPath(file), 'utf8')
  if (!/isPrimary: true \}\)\s+declare id: number\b/.test(text)) {
    throw new ValueError(
      `${name}: ${model} can't be imported, as it refers to a model that is not there yet, and its key is not the usual id: take that relation out until both are there`
    )
  }
  const [, table = modelNames(app, model).table] = /static table = '(.+)'/.exec(text) ?? []
  const sqlType = await sqlTypeOf({ table }, 'id')
  const type = sqlType?.startsWith('big') ? 'bigint' : 'integer'
  return { table, key: 'id', keyAttribute: 'id', type: typeCalled(type), parameters: [] }
}

/**
 * True if responses can include items of the model, which requires configured access.
 *
 * @param operation  `read_multi` for a relation to many
 */
export function isReadable(model: LucidModel, operation: 'read' | 'read_multi'): boolean {
  const options = crudOptionsOf(model)
  if (!options) return false
  const { access: own, includedMethods, deletedMethods } = options
  if (typeof own === 'string' || own?.[operation]) return true
  const isIncluded = !includedMethods || [...includedMethods].includes(operation)
  return isIncluded && ![...(deletedMethods ?? [])].includes(operation)
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

/** Returns the type of the key in the database; without a table, the type that the model declares. */
async function keyType(name: string, model: LucidModel, attribute: string, column: string) {
  const sqlType = await sqlTypeOf(model, column)
  const declared = Reflect.getMetadata('design:type', model.prototype, attribute)
  if (sqlType === undefined && declared !== Number) {
    throw new ValueError(
      `${name}: the key of ${model.name} is not a number, and only its table has its type; create that first: node ace migrate`
    )
  }
  if (sqlType === undefined || /^(big)?(int|serial)/.test(sqlType)) {
    return { type: typeCalled(sqlType?.startsWith('big') ? 'bigint' : 'integer'), parameters: [] }
  }
  if (/^(uuid|char\(36\))/.test(sqlType)) return { type: typeCalled('uuid'), parameters: [] }
  const [length = '255'] = /\d+/.exec(sqlType) ?? []
  return { type: typeCalled('string'), parameters: [length] }
}

/** Returns the SQL type of a column. An empty or missing database does not stop the command. */
async function sqlTypeOf(
  model: Pick<LucidModel, 'connection' | 'table'>,
  column: string
): Promise<string | undefined> {
  try {
    const client = db.connection(model.connection)
    const introspection = await dialectOf(client).readTable(client, model.table)
    return introspection?.columns.get(column)?.sqlType
  } catch {
    return undefined
  }
}

async function modelFiles(app: ApplicationService): Promise<string[]> {
  return await fsReadAll(app.modelsPath(), {
    ignoreMissingRoot: true,
    filter: (path) => path.endsWith('.ts') && !path.endsWith('.d.ts'),
  })
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
