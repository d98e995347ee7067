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
import { stubData, type ScaffoldOptions } from './stub_data.js'

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
