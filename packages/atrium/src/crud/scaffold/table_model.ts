import string from '@adonisjs/core/helpers/string'
import type { ApplicationService } from '@adonisjs/core/types'
import type { TableIntrospection } from '#base/database/introspection'
import { FieldCode } from './field_code.js'
import { isReservedClass } from './model_names.js'
import { freeName, latin, tableColumns, type TableColumn } from './table_column.js'
import type { RelatedModel, TableRelation } from './table_relation.js'

/* A list with fewer columns has enough space for timestamps. */
const FEW_COLUMNS = 4

interface AdminOptions {
  /** API names of the columns of a list, without timestamps */
  columns: readonly string[]
  hasTimestamps: boolean
  /** Widgets by API name */
  widgets: ReadonlyMap<string, string>
  /** Attributes of relations whose records are edited as rows in the form */
  inlines?: readonly string[]
}

/** Returns the code of the options of `@AdminView`, empty if there are none. */
export function adminOptions({
  columns,
  hasTimestamps,
  widgets,
  inlines = [],
}: AdminOptions): string {
  const fields = [...widgets].map(([name, widget]) => `${name}: { widget: '${widget}' }`)
  const options = [
    hasTimestamps && columns.length > FEW_COLUMNS ? `listColumns: [${quoted(columns)}]` : [],
    inlines.length > 0 ? `inlines: [${quoted(inlines)}]` : [],
    fields.length > 0 ? `fields: { ${fields.join(', ')} }` : [],
  ].flat()
  return options.length > 0 ? `{ ${options.join(', ')} }` : ''
}

function quoted(names: readonly string[]): string {
  return names.map((name) => `'${name}'`).join(', ')
}

/** Names that must be unique among the models of one run */
interface TakenNames {
  models: Set<string>
  paths: Set<string>
}

/** The model to generate for an existing table. */
export class TableModel implements RelatedModel {
  /** Class name */
  readonly model: string
  readonly modelFile: string
  readonly importPath: string
  readonly isUnread = false
  /** Plural heading: `Order lines` */
  readonly label: string
  /** Path below the prefix, such as `/order-details` */
  readonly path: string
  readonly columns: readonly TableColumn[]
  readonly relations: TableRelation[] = []
  readonly #usualTable: string
  readonly #lines: ReadonlySet<string>

  /**
   * @param place   position of the table, used for a name without ASCII letters
   * @param taken   names of other models, to which the names of this model are added
   * @param key     names of the columns that identify a row
   * @param lines   names of columns whose texts fit into one line, although their type has no limit
   */
  constructor(
    app: ApplicationService,
    readonly table: string,
    readonly introspection: TableIntrospection,
    {
      key,
      place,
      taken,
      lines,
    }: {
      key: readonly string[]
      place: number
      taken: TakenNames
      lines: ReadonlySet<string>
    }
  ) {
    const words = latin(table.split('.').at(-1)!)
    const name = /^[a-z]/i.test(words) ? words : `table ${words || place + 1}`
    const usual = app.generators.modelName(name)
    const snake = string.snakeCase(string.camelCase(name))
    this.model = freeName(isReservedClass(usual) ? `${usual}Record` : usual, taken.models)
    this.path = freeName(`/${snake.replaceAll('_', '-')}`, taken.paths)
    this.label = string.sentenceCase(snake)
    this.modelFile = app.generators.modelFileName(this.model)
    this.importPath = `#models/${this.modelFile.replace(/\.ts$/, '')}`
    this.columns = tableColumns(introspection, key)
    this.#lines = lines
    this.#usualTable = string.plural(string.snakeCase(this.model))
    taken.models.add(this.model)
    taken.paths.add(this.path)
  }

  get keyAttributes(): string[] {
    return this.columns.filter(({ isPrimary }) => isPrimary).map(({ attribute }) => attribute)
  }

  attributeOf(column: string): string | undefined {
    const name = column.toLowerCase()
    return this.columns.find((one) => one.column.toLowerCase() === name)?.attribute
  }

  /** Returns a name for a relation: the first one that no field or other relation has. */
  relationName(...names: string[]): string {
    const taken = new Set([
      ...this.columns.flatMap(({ attribute, name }) => [attribute, name]),
      ...this.relations.flatMap(({ name }) => [name, string.snakeCase(name)]),
    ])
    const isFree = (name: string) => !taken.has(name) && !taken.has(string.snakeCase(name))
    return names.find(isFree) ?? freeName(names.at(-1)!, taken)
  }

  /** Data of the stub `table.stub`: blocks of code, which are formatted afterwards. */
  get stubData(): { names: TableModel } & Record<string, unknown> {
    const codes = this.columns.map((column) => new FieldCode(column))
    return {
      names: this,
      imports: this.#imports(codes),
      adminOptions: this.#adminOptions,
      options: this.#options(codes),
      columns: [
        ...(this.table === this.#usualTable
          ? []
          : [`static table = ${JSON.stringify(this.table)}`]),
        ...codes.map(({ declaration }) => declaration),
        ...this.relations.map(({ declaration }) => declaration),
      ].join('\n\n'),
    }
  }

  get #adminOptions(): string {
    const isTimestamp = (one: TableColumn) => one.automatic || isDeletedAt(one)
    const shown = this.columns.filter(({ isHidden }) => !isHidden)
    const lines = shown.filter(({ column }) => this.#lines.has(column))
    return adminOptions({
      columns: shown.filter((one) => !isTimestamp(one)).map(({ name }) => name),
      hasTimestamps: shown.some(isTimestamp),
      widgets: new Map(lines.map(({ name }) => [name, 'text'])),
    })
  }

  get #keyNote(): string {
    const kind = this.introspection.isView ? 'view' : 'table'
    return `/* The ${kind} has no primary key: the columns with isPrimary must address one row. */`
  }

  #imports(codes: readonly FieldCode[]): string {
    const kinds = this.relations.map(({ kind }) => kind)
    const types = [...new Set(this.relations.map(({ type }) => type))].toSorted()
    const others = this.relations.flatMap(({ related }) => (related === this ? [] : related))
    const lines = [
      this.#isSoftDeleted && "import vine from '@vinejs/vine'",
      codes.some(({ usesDateTime }) => usesDateTime) && "import type { DateTime } from 'luxon'",
      `import { BaseModel, ${[...new Set(['column', ...kinds])].toSorted().join(', ')} } from '@adonisjs/lucid/orm'`,
      types.length > 0 &&
        `import type { ${types.join(', ')} } from '@adonisjs/lucid/types/relations'`,
      "import { AdminView, Crud } from 'adonis-atrium'",
      ...new Set(others.map(({ importPath, model }) => `import ${model} from '${importPath}'`)),
      this.introspection.primaryKey.length === 0 && `\n${this.#keyNote}`,
    ]
    return lines.filter((line) => line !== false).join('\n')
  }

  #options(codes: readonly FieldCode[]): string {
    const includes = this.relations.flatMap(({ include }) => include ?? [])
    const filters = codes
      .filter(({ field }) => !field.isHidden && !field.automatic && !isDeletedAt(field))
      .flatMap((code) => code.filters)
    const options = [
      this.path !== `/${this.table.replaceAll('_', '-')}` && `path: '${this.path.slice(1)}',`,
      `tags: ['${this.label}'],`,
      includes.length > 0 && `include: [${includes.map((name) => `'${name}'`).join(', ')}],`,
      this.#isSoftDeleted && 'deleteSchema: vine.object({}),',
      filters.length > 0 &&
        `filterConfig: {\n${filters.map((one) => `${one}: null,`).join('\n')}\n},`,
    ]
    return options.filter((option) => option !== false).join('\n')
  }

  get #isSoftDeleted(): boolean {
    return (
      !this.introspection.isView &&
      this.columns.some((column) => isDeletedAt(column) && column.kind === 'datetime')
    )
  }
}

function isDeletedAt({ attribute }: { attribute: string }): boolean {
  return attribute === 'deletedAt'
}
