import type { ValueError } from '#base/errors'

type ErrorText = (message: string) => ValueError

/** A field type of `make:crud`: its code in the generated files, in TypeScript. */
export interface FieldType {
  name: string
  /** Notation for the list of types in the help */
  usage: string
  /** Checks the parameters and fills in defaults. */
  parameters: (given: string[], error: ErrorText) => string[]
  /** The attribute's type */
  typescript: (parameters: readonly string[]) => string
  /** Name of the decorator, such as `column.dateTime` */
  decorator: 'column' | 'column.date' | 'column.dateTime'
  /** The validation rule, after `vine.` */
  rule: (parameters: readonly string[]) => string
  /**
   * Returns the migration's column method and its arguments after the column name: `string` and `['80']` for
   * `table.string('title', 80)`
   */
  column: (parameters: readonly string[]) => [method: string, ...parameters: string[]]
  /** Code of a value in the factory */
  fake: (parameters: readonly string[], unique: boolean) => string
  /** Operators of the list's filters; an empty one is equality */
  filters: string[]
  canBeUnique: boolean
  canBeIndexed: boolean
  /** Converts a default to code; undefined for an invalid text. Missing for types without defaults. */
  default?: (text: string, parameters: readonly string[]) => string | undefined
  isReference?: boolean
  /** Widget that the field type requires */
  widget?: 'file'
  /** True if a create through the API can omit the value */
  isOptional?: boolean
}

type Code<Made> = Made | ((parameters: readonly string[], unique: boolean) => Made)

/** A type in the table below: code that does not depend on parameters is a string, and the usual values are omitted. */
interface Row
  extends
    Pick<FieldType, 'name' | 'filters'>,
    Partial<Omit<FieldType, 'name' | 'filters' | 'typescript' | 'rule' | 'column' | 'fake'>> {
  typescript: Code<string>
  rule: Code<string>
  column: Code<string | [method: string, ...parameters: string[]]>
  fake: Code<string>
}

const RANGE = ['gte', 'lte']

/* MySQL's maximum length for four bytes per character */
const LONGEST_STRING = 16_383

/* Number of digits that JavaScript numbers preserve, because a decimal is a number in the API */
const MOST_DIGITS = 15

const ROWS: readonly Row[] = [
  {
    name: 'string',
    usage: 'string(255)',
    parameters: (given, error) => {
      const [length = '255', ...more] = given
      if (more.length > 0 || !isWhole(length, 1, LONGEST_STRING)) {
        throw error(`a string's length is a number from 1 to ${LONGEST_STRING}, as in string(80)`)
      }
      return [length]
    },
    typescript: 'string',
    rule: ([length]) => `string().maxLength(${length})`,
    column: ([length]) => ['string', length],
    fake: ([length], unique) =>
      unique || Number(length) < 60
        ? `faker.string.alphanumeric(${Math.min(Number(length), 20)})`
        : 'faker.lorem.words(3)',
    filters: ['', 'contains'],
    default: (text, [length]) => (text.length <= Number(length) ? quoted(text) : undefined),
  },
  {
    name: 'text',
    typescript: 'string',
    rule: 'string()',
    column: 'text',
    fake: 'faker.lorem.paragraph()',
    filters: ['contains'],
    canBeUnique: false,
    canBeIndexed: false,
  },
  {
    name: 'integer',
    typescript: 'number',
    rule: 'number().withoutDecimals()',
    column: 'integer',
    fake: (_, unique) => `faker.number.int({ max: ${unique ? '2_000_000_000' : '10_000'} })`,
    filters: ['', ...RANGE],
    default: numberLike(/^-?\d{1,9}$/),
  },
  {
    name: 'bigint',
    typescript: 'number',
    rule: 'number().withoutDecimals()',
    column: 'bigInteger',
    fake: 'faker.number.int({ max: 1_000_000_000_000 })',
    filters: ['', ...RANGE],
    default: numberLike(/^-?\d{1,15}$/),
  },
  {
    name: 'decimal',
    usage: 'decimal(12,2)',
    parameters: (given, error) => {
      const [digits = '12', decimals = given.length === 0 ? '2' : '0', ...more] = given
      const isRight = isWhole(digits, 1, MOST_DIGITS) && isWhole(decimals, 0, Number(digits))
      if (more.length > 0 || !isRight) {
        throw error(
          `a decimal has 1 to ${MOST_DIGITS} digits, and not more of them behind the point, as in decimal(12,2)`
        )
      }
      return [digits, decimals]
    },
    typescript: 'number',
    rule: ([digits, decimals]) => {
      const most = '9'.repeat(Number(digits) - Number(decimals)) || '0'
      const end = Number(decimals) > 0 ? `.${'9'.repeat(Number(decimals))}` : ''
      const places = end ? `decimal([0, ${decimals}])` : 'withoutDecimals()'
      return `number().range([-${most}${end}, ${most}${end}]).${places}`
    },
    column: (parameters) => ['decimal', ...parameters],
    fake: ([digits, decimals], unique) => {
      const whole = Number(digits) - Number(decimals)
      const max = whole === 0 ? '0.9' : String(10 ** (unique ? whole : Math.min(whole, 4)) - 1)
      return `faker.number.float({ max: ${max}, fractionDigits: ${decimals} })`
    },
    filters: RANGE,
    default: (text, [digits, decimals]) => {
      const [, whole, part = ''] = /^-?(\d+)(?:\.(\d+))?$/.exec(text) ?? []
      const fits =
        whole !== undefined &&
        String(Number(whole)).length <= Math.max(1, Number(digits) - Number(decimals)) &&
        part.length <= Number(decimals)
      return fits ? String(Number(text)) : undefined
    },
  },
  {
    name: 'float',
    typescript: 'number',
    rule: 'number()',
    /* `float` has only seven digits on some databases */
    column: 'double',
    fake: 'faker.number.float({ max: 10_000, fractionDigits: 3 })',
    filters: RANGE,
    default: numberLike(/^-?\d{1,15}(\.\d{1,15})?$/),
  },
  {
    name: 'boolean',
    typescript: 'boolean',
    rule: 'boolean()',
    column: 'boolean',
    fake: 'faker.datatype.boolean()',
    filters: [''],
    canBeUnique: false,
    default: (text) => (['true', 'false'].includes(text) ? text : undefined),
  },
  {
    name: 'date',
    typescript: 'DateTime',
    decorator: 'column.date',
    rule: "date({ formats: ['YYYY-MM-DD'] })",
    column: 'date',
    fake: "DateTime.fromJSDate(faker.date.past({ years: 20 }), { zone: 'utc' })",
    filters: ['', ...RANGE],
  },
  {
    name: 'datetime',
    typescript: 'DateTime',
    decorator: 'column.dateTime',
    rule: 'date()',
    column: 'dateTime',
    fake: "DateTime.fromJSDate(faker.date.past(), { zone: 'utc' })",
    filters: RANGE,
  },
  {
    name: 'time',
    typescript: 'string',
    rule: 'string()',
    column: 'time',
    fake: "faker.helpers.arrayElement(['08:30:00', '12:00:00', '17:45:00'])",
    filters: RANGE,
    canBeUnique: false,
  },
  {
    name: 'uuid',
    typescript: 'string',
    rule: 'string().uuid()',
    column: 'uuid',
    fake: 'faker.string.uuid()',
    filters: [''],
  },
  {
    name: 'json',
    typescript: 'unknown',
    rule: 'any()',
    column: 'json',
    fake: 'JSON.stringify({ note: faker.lorem.words(2) })',
    filters: [],
    canBeUnique: false,
    canBeIndexed: false,
  },
  {
    name: 'file',
    typescript: 'string',
    rule: 'string().maxLength(255)',
    column: 'string',
    fake: 'null',
    filters: [],
    canBeUnique: false,
    canBeIndexed: false,
    widget: 'file',
    isOptional: true,
  },
  {
    name: 'enum',
    usage: 'enum(a,b)',
    parameters: (given, error) => {
      const isRight = given.every((one) => /^[\p{L}\p{N}][\p{L}\p{N}_ .+-]{0,62}$/u.test(one))
      if (given.length === 0 || !isRight || new Set(given).size < given.length) {
        throw error(
          'an enum lists its values, each once, of letters, digits, spaces and _ . + -, as in enum(draft,sent)'
        )
      }
      return given
    },
    typescript: (values) => values.map(quoted).join(' | '),
    rule: (values) => `enum([${values.map(quoted)}])`,
    column: (values) => ['enum', `[${values.map(quoted)}]`],
    fake: (values) => `faker.helpers.arrayElement([${values.map(quoted)}] as const)`,
    filters: ['', 'in'],
    canBeUnique: false,
    default: (text, values) => (values.includes(text) ? quoted(text) : undefined),
  },
  {
    name: 'belongsTo',
    usage: 'belongsTo(Model)',
    parameters: (given, error) => {
      if (given.length > 1 || (given.length === 1 && !/^[a-z]\w*$/i.test(given[0]))) {
        throw error('a belongsTo names one model, as in author_id:belongsTo(User)')
      }
      return given
    },
    /* A reference has the type of the referenced key: see `reference.ts`. */
    typescript: 'number',
    rule: 'number().withoutDecimals()',
    column: 'integer',
    fake: 'null',
    filters: [''],
    isReference: true,
  },
]

export const FIELD_TYPES: readonly FieldType[] = ROWS.map((row) => ({
  usage: row.name,
  parameters: none,
  decorator: 'column',
  canBeUnique: true,
  canBeIndexed: true,
  ...row,
  typescript: made(row.typescript),
  rule: made(row.rule),
  column: (parameters) => [made(row.column)(parameters)].flat() as [string, ...string[]],
  fake: made(row.fake),
}))

function made<Made extends string | string[]>(code: Code<Made>) {
  return (parameters: readonly string[], unique = false): Made =>
    typeof code === 'function' ? code(parameters, unique) : code
}

export function typeCalled(name: string): FieldType {
  return FIELD_TYPES.find((type) => type.name === name)!
}

function none(given: string[], error: ErrorText): string[] {
  if (given.length > 0) throw error(`this type takes nothing in parentheses`)
  return given
}

function numberLike(pattern: RegExp) {
  return (text: string) => (pattern.test(text) ? String(Number(text)) : undefined)
}

function isWhole(text: string, least: number, most: number): boolean {
  return /^\d{1,6}$/.test(text) && Number(text) >= least && Number(text) <= most
}

function quoted(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&')}'`
}
