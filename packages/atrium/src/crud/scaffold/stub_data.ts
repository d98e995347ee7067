import { adminOptions } from './table_model.js'
import type { FieldCode } from './field_code.js'
import type { ModelNames } from './model_names.js'
import type { RelationCode } from './related.js'

/** Optional parts of a generated model in addition to its fields. */
export interface ScaffoldOptions {
  /** `created_at` and `updated_at` */
  timestamps: boolean
  /** `deleted_at`: soft delete */
  softDeletes: boolean
}

const CREATED = '@column.dateTime({ autoCreate: true })\ndeclare createdAt: DateTime'
const UPDATED =
  '@column.dateTime({ autoCreate: true, autoUpdate: true })\ndeclare updatedAt: DateTime | null'
const DELETED = '@column.dateTime()\ndeclare deletedAt: DateTime | null'

/** Returns the data of the stubs in `stubs/make/crud`: blocks of code, which are formatted afterwards. */
export function stubData(
  names: ModelNames,
  codes: FieldCode[],
  relations: RelationCode[],
  options: ScaffoldOptions
) {
  return {
    ...modelData(codes, relations, options),
    ...tableData(codes, options),
    ...factoryData(names, codes),
    ...testData(names, codes, options),
  }
}

function modelData(
  codes: FieldCode[],
  relations: RelationCode[],
  { timestamps, softDeletes }: ScaffoldOptions
) {
  const references = codes.flatMap(({ reference }) => reference ?? [])
  const usesDateTime = timestamps || softDeletes || codes.some((code) => code.usesDateTime)
  const isReferring = references.length > 0
  const kinds = relations.map(({ relation }) => relation.kind)
  const decorators = [isReferring ? 'belongsTo' : [], 'column', kinds].flat()
  const types = [isReferring ? 'BelongsTo' : [], relations.map(({ type }) => type)].flat()
  const imports = [
    "import vine from '@vinejs/vine'",
    usesDateTime && "import type { DateTime } from 'luxon'",
    `import { BaseModel, ${sorted(decorators)} } from '@adonisjs/lucid/orm'`,
    types.length > 0 && `import type { ${sorted(types)} } from '@adonisjs/lucid/types/relations'`,
    "import { AdminView, Crud } from 'adonis-atrium'",
    ...references.map(({ model, importPath }) => modelImport(model, importPath)),
    ...relations.map(({ related, relation }) => modelImport(relation.model, related.importPath)),
  ]
  const filters = codes.flatMap((code) => code.filters).map((filter) => `${filter}: null,`)
  const includes = [
    ...codes.map(({ include, reference }) => (reference?.isUnread ? undefined : include)),
    ...relations.map(({ include }) => include),
  ].flatMap((name) => (name === undefined ? [] : `'${name}'`))
  const crud = [
    includes.length > 0 && `include: [${includes.join(', ')}],`,
    softDeletes &&
      '/* Given, so there is an endpoint that deletes for good; it takes no body. */\ndeleteSchema: vine.object({}),',
    filters.length > 0 &&
      `/* Each name is a query parameter of the list, its value what applies when the parameter is absent. */\nfilterConfig: {\n${filters.join('\n')}\n},`,
  ]
  const columns = codes.map((code) => code.declaration)
  if (softDeletes) columns.push(DELETED)
  if (timestamps) columns.push(CREATED, UPDATED)
  columns.push(...relations.map((code) => code.declaration))
  return {
    imports: lines([...new Set(imports)]),
    rules: lines(codes.map((code) => code.rule)),
    options: lines(crud),
    adminOptions: adminOptions({
      columns: ['id', ...codes.map(({ field }) => field.name)],
      hasTimestamps: timestamps || softDeletes,
      widgets: new Map(
        codes.flatMap(({ field: { name, type } }) => (type.widget ? [[name, type.widget]] : []))
      ),
      inlines: inlinesOf(relations),
    }),
    columns: columns.join('\n\n'),
  }
}

/** Returns the relations whose records are edited as rows in the form, one for each related model. */
function inlinesOf(relations: RelationCode[]): string[] {
  const owned = relations.filter(({ related }) => related.hasRows)
  const models = owned.map(({ relation }) => relation.model)
  const inlines = owned.filter(({ relation }, index) => models.indexOf(relation.model) === index)
  return inlines.map(({ relation }) => relation.attribute)
}

function tableData(codes: FieldCode[], { timestamps, softDeletes }: ScaffoldOptions) {
  const managed = [
    softDeletes && "table.dateTime('deleted_at').nullable()",
    timestamps && "table.dateTime('created_at').notNullable()",
    timestamps && "table.dateTime('updated_at').nullable()",
  ]
  const columns = lines(codes.map((code) => code.column))
  return { tableColumns: [columns, lines(managed)].filter(Boolean).join('\n\n') }
}

function factoryData(names: ModelNames, codes: FieldCode[]) {
  const fakes = codes.flatMap((code) => code.fake ?? [])
  const needed = codes.filter(({ field, reference }) => reference && !field.nullable)
  const imports = [
    "import factory from '@adonisjs/lucid/factories'",
    fakes.some((code) => code.includes('DateTime.')) && "import { DateTime } from 'luxon'",
    ...codes.map(({ reference }) => reference?.factoryPath && factoryImport(reference)),
    `import ${names.model} from '#models/${names.modelFile.replace(/\.ts$/, '')}'`,
  ]
  const optional = codes.map(
    ({ field, reference }) =>
      field.nullable &&
      reference?.factoryPath &&
      `.relation('${field.relation!.name}', () => ${reference.model}Factory)`
  )
  const makesParents = needed.map(
    ({ field, reference }) =>
      `if (row.${field.attribute} === undefined) {
        const ${field.relation!.name} = await ${reference!.model}Factory.useCtx(context).create()
        row.${field.attribute} = ${field.relation!.name}.${reference!.keyAttribute}
      }`
  )
  const hook =
    needed.length > 0 &&
    `/* Records that it must refer to are made with it, unless they were given. */
    .before('create', async (_, row, context) => {\n${makesParents.join('\n')}\n})`
  return {
    factoryImports: lines([...new Set(imports)]),
    needsFaker: fakes.some((code) => code.includes('faker.')),
    fakes: lines(fakes),
    parents: lines([...optional, hook]),
  }
}

function testData(names: ModelNames, codes: FieldCode[], { softDeletes }: ScaffoldOptions) {
  const parents = codes.filter(({ field, reference }) => reference && !field.nullable)
  const own = codes.filter(({ reference }) => !reference)
  const required = codes.filter((code) => code.isRequired).map(({ field }) => `'${field.name}'`)
  const unique = codes.filter(({ field }) => field.unique && !field.relation)
  const filtered = own.find((code) => code.filters.includes(code.field.name))
  const imports = [
    "import { test } from '@japa/runner'",
    "import { adminPath, bodyOf, removeCreated } from 'adonis-atrium/testing'",
    ...parents.map(({ reference }) => factoryImport(reference!)),
    `import { ${names.factory} } from '#database/factories/${names.factoryFile.replace(/\.ts$/, '')}'`,
  ]
  const made = parents.map(
    ({ field, reference }) =>
      `const ${field.relation!.name} = await ${reference!.model}Factory.create()`
  )
  const given = parents.map(
    ({ field, reference }) =>
      `${field.attribute}: ${field.relation!.name}.${reference!.keyAttribute}`
  )
  const merged = given.length > 0 ? `.merge({ ${given.join(', ')} })` : ''
  return {
    testImports: lines([...new Set(imports)]),
    bodyLines: lines([...made, `return await bodyOf(await ${names.factory}${merged}.make())`]),
    changed: own.find(({ field }) => !field.type.widget)?.field.name,
    required: required.length > 0 && `[${required.join(', ')}]`,
    unique: unique.length > 0 && `[${unique.map(({ field }) => `'${field.name}'`).join(', ')}]`,
    filter: filtered?.field.name,
    firstField: codes[0].field.name,
    softDeletes,
  }
}

function modelImport(model: string, path: string | undefined) {
  return path && `import ${model} from '${path}'`
}

function sorted(names: readonly string[]): string {
  return [...new Set(names)].toSorted().join(', ')
}

function factoryImport({ model, factoryPath }: { model: string; factoryPath?: string }) {
  return `import { ${model}Factory } from '${factoryPath}'`
}

function lines(parts: Array<string | false | undefined>): string {
  return parts.filter((part) => part !== false && part !== undefined && part !== '').join('\n')
}
