import type { LucidModel, ModelColumnOptions } from '@adonisjs/lucid/types/model'
import type { Collation, ColumnFacts } from '../database/introspection.js'
import { RuntimeError } from '../errors.js'
import { hasOwnConsume, hasOwnSerialize } from '../lucid/lucid_defaults.js'

/**
 * What a column holds, as far as the wire is concerned.
 */
export type ColumnKind =
  | 'text'
  | 'uuid'
  | 'integer'
  | 'number'
  | 'boolean'
  | 'date'
  | 'datetime'
  | 'time'
  | 'json'
  | 'binary'

const KINDS: Array<[RegExp, ColumnKind]> = [
  [/^(uuid|uniqueidentifier|char\(36\))$/, 'uuid'],
  [/^(bool|tinyint\(1\))/, 'boolean'],
  [/^(timestamp|datetime)/, 'datetime'],
  [/^date/, 'date'],
  [/^time/, 'time'],
  [/^json/, 'json'],
  [/(int|serial)/, 'integer'],
  [/(float|double|real|decimal|numeric|money)/, 'number'],
  [/(blob|binary|bytea)/, 'binary'],
]

/**
 * One column of a model: what the model says of it, and, once loaded, what the database does.
 */
export class Column {
  /** The model's name for it, as in `lastSold` */
  readonly attribute: string
  /** The table's name for it, as in `last_sold` */
  readonly name: string
  /** The wire's name for it. A hidden column has one too: a body may set what no answer shows. */
  readonly wire: string
  /** Never read, listed, sorted by, filtered by or echoed */
  readonly hidden: boolean
  readonly isPrimary: boolean
  /** Lucid sets it itself, at create or at update */
  readonly automatic: boolean
  /** The model's own `serialize`, which wins over the kind's form [A20] */
  readonly serialize: ModelColumnOptions['serialize'] | undefined
  /** Declared by `@column.date` or `@column.dateTime`: the attribute is a luxon `DateTime` */
  readonly holdsDateTime: boolean
  /** The model itself turns the attribute into what the driver gets */
  readonly preparesItself: boolean
  /** The model itself turns what the driver gives into the attribute */
  readonly consumesItself: boolean
  /** Whether a raw value and the model's attribute may differ */
  readonly needsHydration: boolean
  /** What the model's `meta.openapi` says of it in the API schema: description, examples, type [Q1] */
  readonly described: Readonly<Record<string, unknown>>

  #facts: ColumnFacts | undefined
  #kind: ColumnKind | undefined
  readonly #definition: ModelColumnOptions
  readonly #owner: string

  constructor(model: LucidModel, attribute: string, definition: ModelColumnOptions) {
    this.attribute = attribute
    this.name = definition.columnName
    this.hidden = definition.serializeAs === null
    this.wire = definition.serializeAs ?? model.namingStrategy.serializedName(model, attribute)
    this.isPrimary = definition.isPrimary
    this.automatic = Boolean(definition.meta?.autoCreate || definition.meta?.autoUpdate)
    this.serialize = hasOwnSerialize(definition) ? definition.serialize : undefined
    this.holdsDateTime = ['date', 'datetime'].includes(definition.meta?.type)
    this.preparesItself = typeof definition.prepare === 'function'
    this.consumesItself = hasOwnConsume(definition)
    this.needsHydration = definition.hasGetter || this.consumesItself || hasOwnSerialize(definition)
    this.described = definition.meta?.openapi ?? {}
    this.#definition = definition
    this.#owner = model.name
  }

  /**
   * Takes in what the database knows. Only called while the resource loads. [P15]
   */
  learn(facts: ColumnFacts): void {
    this.#facts = facts
    this.#kind = this.#declaredKind() ?? facts.kind ?? kindOf(facts.sqlType)
  }

  get kind(): ColumnKind {
    this.#ensureLoaded()
    return this.#kind!
  }

  /** The database's own name of the type */
  get sqlType(): string {
    return this.#ensureLoaded().sqlType
  }

  get collation(): Collation | undefined {
    return this.#ensureLoaded().collation
  }

  /** What an integer must be between, if the column takes less than 64 bits */
  get integerRange(): ColumnFacts['integerRange'] {
    return this.#ensureLoaded().integerRange
  }

  /** What a decimal must not exceed, in either direction, once it is rounded to its last digit */
  get decimalRange(): ColumnFacts['decimalRange'] {
    return this.#ensureLoaded().decimalRange
  }

  get nullable(): boolean {
    return this.#ensureLoaded().nullable
  }

  get maxLength(): number | null {
    return this.#ensureLoaded().maxLength
  }

  get hasDefault(): boolean {
    return this.#ensureLoaded().hasDefault
  }

  /** What an insert that leaves the column out writes, as text, where that is always the same */
  get defaultText(): string | null {
    return this.#ensureLoaded().defaultText ?? null
  }

  get defaultExpression(): string | undefined {
    return this.#ensureLoaded().defaultExpression
  }

  get autoIncrement(): boolean {
    return this.#ensureLoaded().autoIncrement
  }

  /** Whether the database works the value out, and takes none */
  get generated(): boolean {
    return this.#ensureLoaded().generated
  }

  get unique(): boolean {
    return this.#ensureLoaded().unique
  }

  get choices(): string[] | null {
    return this.#ensureLoaded().choices
  }

  /** Whether its integers may need more than the 53 bits of a JSON number */
  get isBigInteger(): boolean {
    return this.kind === 'integer' && /big|int8/.test(this.#ensureLoaded().sqlType)
  }

  /** Whether the database keeps every digit of its fractions */
  get isDecimal(): boolean {
    return this.kind === 'number' && /decimal|numeric/i.test(this.#ensureLoaded().sqlType)
  }

  /** Whether only the model knows what becomes of its values on the wire */
  get writesItself(): boolean {
    return (
      this.serialize !== undefined || (this.isText && this.preparesItself && this.consumesItself)
    )
  }

  get isText(): boolean {
    return this.kind === 'text' || this.kind === 'uuid'
  }

  /**
   * The type as the model declares it: by `@column.date`, `@column.dateTime`, or `meta.kind` where
   * the database's type does not tell.
   */
  #declaredKind(): ColumnKind | undefined {
    const { kind, type } = this.#definition.meta ?? {}
    if (kind) return kind
    return type === 'date' || type === 'datetime' ? type : undefined
  }

  #ensureLoaded(): ColumnFacts {
    if (!this.#facts) {
      throw new RuntimeError(
        `Nothing is known yet of ${this.#owner}'s column ${this.name}: await resources.load() first`
      )
    }
    return this.#facts
  }
}

function kindOf(sqlType: string): ColumnKind {
  return KINDS.find(([pattern]) => pattern.test(sqlType))?.[1] ?? 'text'
}
