import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import type { LucidModel, ModelColumnOptions } from '@adonisjs/lucid/types/model'
import type {
  Collation,
  ColumnIntrospection,
  ElementIntrospection,
} from '../database/introspection.js'
import { RuntimeError } from '../errors.js'
import type { Sql } from '../sql/sql.js'
import type { Actor } from '../types.js'
import { hasOwnConsume, hasOwnSerialize } from '#base/lucid/column_functions'
import { isDecimalType, kindOf, type ColumnKind } from './column_kind.js'

const NUMERIC: readonly ColumnKind[] = ['integer', 'number', 'boolean']

const ITEM = {
  nullable: true,
  hasDefault: false,
  generated: false,
  autoIncrement: false,
  unique: false,
  choices: null,
}

/** Definitions of columns that a hook of the model sets if they are empty */
const FILLED_BY_MODEL = new WeakSet<object>()
/** A value of related records that is joined to the rows of a list. */
interface RelatedPlace {
  /** Name in requests, such as `distributor.name` */
  apiName: string
  /** Alias of the joined table, and the column in it */
  table: string
  column: string
  /** Returns the SQL of the join */
  join: (client: QueryClientContract, options: { actor?: Actor }) => Sql
}

interface ColumnOptions {
  hidden?: boolean
  mixed?: boolean
  related?: RelatedPlace
}

/** One column of a model: the model's declaration, and after loading, the database's introspection. */
export class Column {
  /** Attribute name, such as `lastSold` */
  readonly attribute: string
  /** Column name, such as `last_sold` */
  readonly name: string
  /** API name. A hidden column has one too, because a body can set a column that responses do not show. */
  readonly apiName: string
  /** True if the column is never shown, sorted by or filtered by */
  readonly hidden: boolean
  readonly isPrimary: boolean
  /** True if Lucid sets the column at creation or at update */
  readonly automatic: boolean
  /** True if Lucid sets the column at every update */
  readonly autoUpdate: boolean
  /** The model's custom `serialize`, which takes precedence over the format of the value type */
  readonly serialize: ModelColumnOptions['serialize'] | undefined
  /** True for columns of `@column.date` or `@column.dateTime`, whose attribute is a Luxon `DateTime` */
  readonly holdsDateTime: boolean
  /** True if the model has a custom `prepare`, which converts the attribute for the driver */
  readonly preparesItself: boolean
  /** True if the model has a custom `consume`, which converts the driver's value to the attribute */
  readonly consumesItself: boolean
  /** True if the stored value and the model's attribute can differ */
  readonly needsHydration: boolean
  /** The model's `meta.openapi` for the API schema: description, examples, type */
  readonly described: Readonly<Record<string, unknown>>
  /** Set for a column of related records that lists are sorted by */
  readonly related: RelatedPlace | undefined

  #introspection: ColumnIntrospection | undefined
  #kind: ColumnKind | undefined
  #element: Column | undefined
  readonly #definition: ModelColumnOptions
  readonly #model: LucidModel
  readonly #isMixed: boolean

  constructor(
    model: LucidModel,
    attribute: string,
    definition: ModelColumnOptions,
    { hidden, mixed = false, related }: ColumnOptions = {}
  ) {
    this.attribute = attribute
    this.name = related ? related.column : definition.columnName
    this.related = related
    this.hidden = hidden ?? definition.serializeAs === null
    this.#isMixed = mixed
    this.apiName =
      related?.apiName ??
      definition.serializeAs ??
      model.namingStrategy.serializedName(model, attribute)
    this.isPrimary = definition.isPrimary
    this.automatic = Boolean(definition.meta?.autoCreate || definition.meta?.autoUpdate)
    this.serialize = hasOwnSerialize(definition) ? definition.serialize : undefined
    this.autoUpdate = Boolean(definition.meta?.autoUpdate)
    this.holdsDateTime = ['date', 'datetime'].includes(definition.meta?.type)
    this.preparesItself = typeof definition.prepare === 'function'
    this.consumesItself = hasOwnConsume(definition)
    this.needsHydration = definition.hasGetter || this.consumesItself || hasOwnSerialize(definition)
    this.described = definition.meta?.openapi ?? {}
    this.#definition = definition
    this.#model = model
  }

  /** Returns the column as a hidden one: itself, or a copy. */
  asHidden(): Column {
    if (this.hidden) return this
    return this.#again({ hidden: true })
  }

  /** Returns a nullable copy of the column, for grants that hide the value in some rows. */
  asMixed(): Column {
    return this.#again({ hidden: this.hidden, mixed: true })
  }

  /** Returns a copy of the column for a joined table, nullable because a row can have no related record. */
  asRelated(related: RelatedPlace): Column {
    return this.#again({ hidden: this.hidden, mixed: true, related })
  }

  #again(options: ColumnOptions): Column {
    const column = new Column(this.#model, this.attribute, this.#definition, options)
    if (this.#introspection) column.introspected(this.#introspection)
    return column
  }

  /** Marks the column, also for other resources of the model, as one that a hook sets if it is empty. */
  fillByModel(): void {
    FILLED_BY_MODEL.add(this.#definition)
  }

  /** Sets the database's introspection. Only called while the resource loads. */
  introspected(introspection: ColumnIntrospection): void {
    this.#introspection = introspection
    this.#kind = this.#declaredKind() ?? introspection.kind ?? kindOf(introspection.sqlType)
    const { element } = introspection
    if (element && this.#kind === 'json') this.#element = this.#item(element)
  }

  #item(element: ElementIntrospection): Column {
    const { columnName } = this.#definition
    const item = new Column(this.#model, this.attribute, {
      columnName,
      serializeAs: this.apiName,
      isPrimary: false,
      hasGetter: false,
      hasSetter: false,
    })
    item.introspected({ ...ITEM, ...element })
    return item
  }

  /**
   * True if SQLite may contain values stored differently from those that the application writes, such as a date as a
   * number, or numbers in a text column
   */
  get hasOtherForms(): boolean {
    const { forms, sqlType } = this.#introspection ?? {}
    if (!forms || !this.#kind) return false
    /* A text column converts numbers that are written to it to text. */
    const isTextOfNumbers = NUMERIC.includes(this.#kind) && /char|clob|text/.test(sqlType!)
    return isTextOfNumbers || forms.others.has(this.#kind)
  }

  /** Forms of the stored values; undefined if every value has the form of the column's type */
  get forms(): ColumnIntrospection['forms'] {
    return this.#ensureLoaded().forms
  }

  /** The items of an array, described like a column; undefined for any other type */
  get element(): Column | undefined {
    this.#ensureLoaded()
    return this.#element
  }

  get kind(): ColumnKind {
    this.#ensureLoaded()
    return this.#kind!
  }

  /** Name of the type in the database */
  get sqlType(): string {
    return this.#ensureLoaded().sqlType
  }

  get collation(): Collation | undefined {
    return this.#ensureLoaded().collation
  }

  /** The range of an integer column of less than 64 bits */
  get integerRange(): ColumnIntrospection['integerRange'] {
    return this.#ensureLoaded().integerRange
  }

  /** Largest absolute value of a decimal, after rounding to its last digit, and its number of decimal places */
  get decimalRange(): ColumnIntrospection['decimalRange'] {
    return this.#ensureLoaded().decimalRange
  }

  /** True for the text of a special value without the usual form of the kind, such as `infinity` */
  isSpecial(value: unknown): value is string {
    const { special } = this.#ensureLoaded()
    return typeof value === 'string' && special?.test(value) === true
  }

  /** Number of decimal places of the seconds in a time */
  get secondsScale(): number {
    const [, digits] = /\((\d)\)/.exec(this.sqlType) ?? []
    if (digits !== undefined) return Number(digits)
    return this.sqlType === 'time without time zone' ? 6 : 0
  }

  /** True for unsigned 64-bit integers */
  get isUnsigned(): boolean {
    return (this.integerRange?.most ?? 0n) >= 2n ** 63n
  }

  get nullable(): boolean {
    return this.#ensureLoaded().nullable || this.#isMixed
  }

  get maxLength(): number | null {
    return this.#ensureLoaded().maxLength
  }

  get hasDefault(): boolean {
    return this.#ensureLoaded().hasDefault || FILLED_BY_MODEL.has(this.#definition)
  }

  /** Default of the column as text, if it is the same for every row; otherwise null */
  get defaultText(): string | null {
    return this.#ensureLoaded().defaultText ?? null
  }

  get defaultExpression(): string | undefined {
    return this.#ensureLoaded().defaultExpression
  }

  get autoIncrement(): boolean {
    return this.#ensureLoaded().autoIncrement
  }

  /** True if the database computes the value, so that it cannot be written */
  get generated(): boolean {
    return this.#ensureLoaded().generated
  }

  get unique(): boolean {
    return this.#ensureLoaded().unique
  }

  get choices(): string[] | null {
    return this.#ensureLoaded().choices
  }

  /** True if the column's integers can exceed the 53 bits of a JSON number */
  get isBigInteger(): boolean {
    return this.kind === 'integer' && /big|int8/.test(this.#ensureLoaded().sqlType)
  }

  /** True if the database stores every decimal digit */
  get isDecimal(): boolean {
    return this.kind === 'number' && isDecimalType(this.sqlType)
  }

  /** True if the column's decimals can have more digits than a JSON number preserves */
  get isLongDecimal(): boolean {
    const { decimalRange } = this
    return this.isDecimal && !(decimalRange && decimalRange.most.replace('.', '').length <= 15)
  }

  /** True if the format of the column's values in the API depends on custom code of the model */
  get writesItself(): boolean {
    return (
      this.serialize !== undefined || (this.isText && this.preparesItself && this.consumesItself)
    )
  }

  /**
   * True for a boolean whose custom `consume` does not change true and false, such as `consume: Boolean`: its values
   * can be counted as stored.
   */
  get isPlainBoolean(): boolean {
    const { consume, hasGetter } = this.#definition
    if (this.kind !== 'boolean' || hasGetter || this.serialize || !consume) return false
    try {
      const read = (value: unknown) => consume(value, this.attribute, this.#model as never)
      const isStored = [true, false, 1, 0].every((value) => read(value) === Boolean(value))
      return isStored && read(null) !== true
    } catch {
      return false
    }
  }

  /** True for a number whose custom `consume` does not change it, such as `consume: Number`. */
  get isPlainNumber(): boolean {
    const { consume, hasGetter } = this.#definition
    const isNumber = this.kind === 'integer' || this.kind === 'number'
    if (!isNumber || hasGetter || this.serialize || !consume) return false
    try {
      const read = (value: unknown) => consume(value, this.attribute, this.#model as never)
      const isStored = [0, 1, -7, 1200, '34', '90071'].every(
        (value) => Number(read(value)) === Number(value)
      )
      return isStored && (read(null) ?? null) === null
    } catch {
      return false
    }
  }

  get isText(): boolean {
    return this.kind === 'text' || this.kind === 'uuid'
  }

  /**
   * Returns the type that the model declares: with `@column.date`, `@column.dateTime`, or `meta.kind` if the database
   * type is not specific enough.
   */
  #declaredKind(): ColumnKind | undefined {
    const { kind, type } = this.#definition.meta ?? {}
    if (kind) return kind
    return type === 'date' || type === 'datetime' ? type : undefined
  }

  #ensureLoaded(): ColumnIntrospection {
    if (!this.#introspection) {
      throw new RuntimeError(
        `Nothing is known yet of ${this.#model.name}'s column ${this.name}: await resources.load() first`
      )
    }
    return this.#introspection
  }
}
