import { readFile } from 'node:fs/promises'
import type { ApplicationService } from '@adonisjs/core/types'
import { ValueError } from '#base/errors'
import { resources } from '../resource/registry.js'
import { basePath } from '#base/http/base_path'
import { crudConfig } from '../settings.js'
import type { Field, ModelParts } from './field.js'
import { FieldCode } from './field_code.js'
import { filesIn, renderStubs, writeFiles } from './generated_files.js'
import type { ModelNames } from './model_names.js'
import { findReference } from './reference.js'
import { findRelated, RelationCode } from './related.js'
import { adminOptions } from './table_model.js'

/* Longer constraint names are cut or refused by some databases. */
const LONGEST_CONSTRAINT = 63

const STUBS = ['model', 'migration', 'factory', 'test']

/**
 * Writes the files of a model: the class with both decorators and its schemas, its migration, a factory, a functional
 * test, and the migrations of its pivot tables. Writes all of them or none, and does not change existing files.
 */
export class Scaffold {
  /** Sentences about manual steps for the written files */
  readonly needs: string[] = []

  readonly #app: ApplicationService

  constructor(app: ApplicationService) {
    this.#app = app
  }

  /**
   * Writes the files of one model.
   *
   * @returns the paths of the files, relative to the project's root
   * @throws ValueError  when the model, its table or one of the files exists, or a field is invalid
   */
  async write(names: ModelNames, parts: ModelParts, options: ScaffoldOptions): Promise<string[]> {
    this.#checkModel(names)
    await this.#checkMigrations(names.model, names.table)
    const codes = await this.#codesOf(names, parts.fields)
    const relations = await this.#relationsOf(names, parts)
    const files = await this.#render(names, codes, relations, options)
    const written = await writeFiles(this.#app, files)
    this.needs.push(...relations.flatMap(({ related }) => related.need ?? []))
    return written
  }

  #checkModel({ model, table, path }: ModelNames) {
    const fullPath = crudConfig().prefix + path
    for (const { resource, path: taken } of resources.endpoints()) {
      if (resource.name === model || resource.table === table || taken === fullPath) {
        throw new ValueError(
          `${model} can't be made: the model ${resource.name} is there already, with the table ${resource.table} and the path ${taken}`
        )
      }
    }
  }

  /**
   * Checks that no other migration creates the same table. Tables of the admin site are also created by such
   * migrations.
   */
  async #checkMigrations(wanted: string, table: string) {
    for (const folder of this.#migrationFolders()) {
      for (const file of await filesIn(folder)) {
        const isItsOwn = file.endsWith(`_create_${table}_table.ts`)
        const text = isItsOwn ? '' : await readFile(`${folder}/${file}`, 'utf8')
        const makes = new RegExp(`(createTable\\(|tableName = )['"\`]${table}['"\`]`)
        if (isItsOwn || makes.test(text)) {
          throw new ValueError(
            `${wanted} can't be made: ${this.#app.relativePath(folder)}/${file} makes the table ${table} already`
          )
        }
      }
    }
  }

  async #codesOf(names: ModelNames, fields: Field[]): Promise<FieldCode[]> {
    return await Promise.all(
      fields.map(async (field) => {
        checkConstraint(field.column, names.table, field.column)
        if (!field.relation) return new FieldCode(field)

        const reference = await findReference(this.#app, field, names)
        if (!field.nullable && !reference.factoryPath) {
          throw new ValueError(
            `${field.name}: the tests need a ${reference.model}, and there is no factory that makes one: write it first, as in: node ace make:factory ${reference.model}`
          )
        }
        return new FieldCode(field, reference)
      })
    )
  }

  async #relationsOf(names: ModelNames, parts: ModelParts): Promise<RelationCode[]> {
    const relations: RelationCode[] = []
    for (const relation of parts.relations) {
      const related = await findRelated(this.#app, relation, names, parts)
      const { pivot } = related
      if (pivot) {
        await this.#checkMigrations(relation.name, pivot.table)
        checkConstraint(relation.name, pivot.table, pivot.ownColumn)
        checkConstraint(relation.name, pivot.table, pivot.relatedColumn)
        if (relations.some((other) => other.related.pivot?.table === pivot.table)) {
          throw new ValueError(
            `${relation.name}: another manyToMany has the table ${pivot.table} already; write the second one by hand, with a pivotTable of its own`
          )
        }
      }
      relations.push(new RelationCode(relation, related))
    }
    return relations
  }

  async #render(
    names: ModelNames,
    codes: FieldCode[],
    relations: RelationCode[],
    options: ScaffoldOptions
  ) {
    const migration = await this.#nextMigration()
    const data = {
      ...stubData(names, codes, relations, options),
      names,
      migrationFile: `${migration}_create_${names.table}_table.ts`,
      apiPath: crudConfig().prefix.slice(basePath().length) + names.path,
    }
    const pivots = relations.flatMap((code, index) => {
      const { pivot } = code.related
      if (!pivot) return []
      return {
        pivotTable: pivot.table,
        pivotColumns: code.pivotColumns(names),
        pivotFile: `${migration + index + 1}_create_${pivot.table}_table.ts`,
      }
    })
    const wanted: Array<[stub: string, data: object]> = [
      ...STUBS.map((stub): [string, object] => [stub, data]),
      ...pivots.map((pivot): [string, object] => ['pivot', pivot]),
    ]
    return await renderStubs(this.#app, wanted)
  }

  /**
   * Returns a number higher than that of all existing migrations, even if the clock is wrong: a referenced table must
   * be created first.
   */
  async #nextMigration(): Promise<number> {
    const numbers = await filesIn(this.#app.migrationsPath())
    return Math.max(Date.now(), ...numbers.map((file) => (Number.parseInt(file, 10) || 0) + 1))
  }

  #migrationFolders(): string[] {
    const { connections } = this.#app.config.get<any>('database')
    const paths = Object.values<any>(connections).flatMap((one) => one.migrations?.paths ?? [])
    return [...new Set([...paths, 'database/migrations'])].map((path) => this.#app.makePath(path))
  }
}

function checkConstraint(name: string, table: string, column: string): void {
  const constraint = `${table}_${column}_foreign`
  if (constraint.length <= LONGEST_CONSTRAINT) return
  throw new ValueError(
    `${name}: the name is too long, as constraints are called like ${constraint}, and may have ${LONGEST_CONSTRAINT} characters`
  )
}

/** Optional parts of a generated model in addition to its fields. */
interface ScaffoldOptions {
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
function stubData(
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
