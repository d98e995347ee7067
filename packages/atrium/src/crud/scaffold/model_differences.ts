import { readFile } from 'node:fs/promises'
import type { ApplicationService } from '@adonisjs/core/types'
import db from '@adonisjs/lucid/services/db'
import type { ClassDeclaration, TypeNode } from 'typescript'
import { dialectOf } from '#base/database/dialects'
import type { TableIntrospection } from '#base/database/introspection'
import { readTables } from '#base/database/read_tables'
import { listed, ValueError } from '#base/errors'
import { Column } from '#base/columns/column'
import { applicationModels, type ApplicationModel } from './application_model.js'
import { isUnquotable, tableColumns, type TableColumn } from './table_column.js'

/** Types of attributes as written in the code, without `null`: `["'draft'", "'sent'"]` */
type WrittenTypes = Map<string, { types: string[]; nullable: boolean }>

/**
 * Returns differences between the application's models and their tables, as sentences.
 *
 * @param tables  tables to check; undefined: the tables of all models
 * @throws ValueError  when a table has no model
 */
export async function differencesOf(
  app: ApplicationService,
  tables: readonly string[] | undefined
): Promise<string[]> {
  const all = await applicationModels(app)
  const without = tables?.find((name) => !all.some(({ table }) => table === name))
  if (without !== undefined) throw new ValueError(`No model has the table ${without}`)
  const models = all.filter(({ table }) => !tables || tables.includes(table))
  const known = await readTables(
    db.connection(),
    models.map(({ table }) => table)
  )
  const differences: string[] = []
  for (const model of models) {
    const introspection = known?.get(model.table)
    if (introspection) differences.push(...(await compare(model, introspection)))
    else differences.push(`${model.model}: there is no table ${model.table}`)
  }
  return differences
}

async function compare(model: ApplicationModel, introspection: TableIntrospection) {
  const { lucid, model: name, table } = model
  const written = await writtenTypes(model)
  const dialect = dialectOf(db.connection())
  const columns = tableColumns(introspection, [])
  const names = new Set<string>()
  const differences: string[] = []
  for (const [attribute, definition] of lucid.$columnsDefinitions) {
    names.add(definition.columnName)
    const column = columns.find((one) => one.column === definition.columnName)
    const which = `${name}.${attribute}`
    if (!column) {
      differences.push(`${which}: the table ${table} has no column ${definition.columnName}`)
      continue
    }
    const types = written.get(attribute)
    const own = new Column(lucid, attribute, definition)
    if (!types || !areKnown(types.types) || own.consumesItself || own.preparesItself) continue
    /* SQLite has no date types, so the type in the model is decisive. */
    const isDate = own.holdsDateTime && dialect.mixesTypes && column.kind === 'text'
    const isRead = ['date', 'datetime'].includes(column.kind) === own.holdsDateTime
    if (!isDate && !(isRead && fits(column, types.types))) {
      const sqlType = introspection.columns.get(column.column)!.sqlType
      differences.push(`${which} is ${types.types.join(' | ')}: the column has the type ${sqlType}`)
    }
    const isCompared = !own.isPrimary && !introspection.isView && !types.types.includes('unknown')
    if (isCompared && types.nullable !== column.nullable) {
      differences.push(`${which}: the column is ${column.nullable ? '' : 'not '}nullable`)
    }
  }
  const missing = [...introspection.columns.keys()].filter(
    (column) => !names.has(column) && !isUnquotable(column)
  )
  if (missing.length > 0)
    differences.push(`${name} has no attribute for ${table}: ${listed(missing)}`)
  return differences
}

const LITERAL = /^(['"]).*\1$/
const KNOWN = /^(?:number|bigint|string|boolean|unknown|DateTime|Buffer|.*\[\]|(['"]).*\1)$/

/** True if the types contain no custom type name, which only the compiler could resolve. */
function areKnown(types: readonly string[]): boolean {
  return types.every((type) => KNOWN.test(type))
}

/** True if values of the column have the written types. */
function fits({ type, parameters }: TableColumn, written: readonly string[]): boolean {
  const allLiteral = written.every((one) => LITERAL.test(one))
  if (type.name === 'json' || written.includes('unknown')) return true
  if (type.name === 'array') return written.every((one) => one.endsWith('[]'))
  if (type.name === 'enum' && allLiteral) {
    const choices = new Set(written.map((one) => one.slice(1, -1)))
    return choices.size === parameters.length && parameters.every((one) => choices.has(one))
  }
  const allowed = new Set(type.typescript(parameters).split(' | '))
  if (type.name === 'enum' || allLiteral) return written.includes('string') || allowed.has('string')
  if (allowed.has('number')) allowed.add('bigint')
  /* Drivers return numbers that can have more digits than a JavaScript number as text. */
  if (['bigint', 'decimal'].includes(type.name)) allowed.add('string')
  return written.every((one) => allowed.has(one))
}

async function writtenTypes({ lucid, path }: ApplicationModel): Promise<WrittenTypes> {
  const { default: ts } = await import('typescript').catch(() => {
    throw new ValueError(
      'make:crud --check reads code, and needs the packages that `npm install` brings without --omit=dev'
    )
  })
  const source = ts.createSourceFile(path, await readFile(path, 'utf8'), ts.ScriptTarget.Latest)
  const found = source.statements
    .filter((one): one is ClassDeclaration => ts.isClassDeclaration(one))
    .find((one) => one.name?.text === lucid.name)
  const types: WrittenTypes = new Map()
  for (const member of found?.members ?? []) {
    if (!ts.isPropertyDeclaration(member) || !member.type) continue
    const union: readonly TypeNode[] = ts.isUnionTypeNode(member.type)
      ? member.type.types
      : [member.type]
    const texts = union.map((one) => one.getText(source))
    types.set(member.name.getText(source), {
      types: texts.filter((text) => text !== 'null' && text !== 'undefined'),
      nullable: texts.includes('null') || texts.includes('undefined'),
    })
  }
  return types
}
