/* Values of each type of the database: their SQL, and what the API returns. */
import { each } from '#tests/helpers/databases'

/* Texts that are themselves JSON */
const JSONS: Array<[sql: string, api: unknown]> = [
  [`'"123"'`, '123'],
  [`'"{}"'`, '{}'],
]

/** A type, and values of it: SQL, and what the API returns */
export interface TypeSpecimen {
  type: string
  values: Array<[sql: string, api: unknown]>
  /** False if no filter compares it */
  filters?: boolean
  /** Values, by their position, that an update preserves and the database never accepts */
  kept?: readonly number[]
}

const DIGITS = '123456789012345.12345'
const MANY_DIGITS = '12345678901234567890.123456789'

const POSTGRES: TypeSpecimen[] = [
  { type: 'smallint', values: [['-32768', -32768]] },
  { type: 'integer', values: [['2147483647', 2147483647]] },
  {
    type: 'bigint',
    values: [
      ['9223372036854775807', '9223372036854775807'],
      ['7', 7],
    ],
  },
  {
    type: 'numeric(20,5)',
    values: [
      [DIGITS, DIGITS],
      ['999999999999999.99999', '999999999999999.99999'],
      ['1.5', 1.5],
    ],
  },
  {
    type: 'numeric',
    values: [
      [MANY_DIGITS, MANY_DIGITS],
      ["'NaN'", 'NaN'],
      ['-0.1', -0.1],
    ],
    kept: [1],
  },
  { type: 'numeric(10,2)', values: [['10.50', 10.5]] },
  {
    type: 'real',
    values: [
      ['1.1', 1.1],
      ["'NaN'", 'NaN'],
      ["'-Infinity'", '-Infinity'],
    ],
    kept: [1, 2],
  },
  {
    type: 'double precision',
    values: [
      ['1e300', 1e300],
      ["'Infinity'", 'Infinity'],
      ['0.1', 0.1],
    ],
    kept: [1],
  },
  { type: 'money', values: [['92233720368547758.07', '92233720368547758.07']] },
  {
    type: 'boolean',
    values: [
      ['true', true],
      ['false', false],
    ],
  },
  { type: 'char(5)', values: [["'ab'", 'ab']] },
  { type: 'varchar(20)', values: [["'a,b'", 'a,b']] },
  { type: 'text', values: [["'two' || chr(10) || 'lines'", 'two\nlines']] },
  { type: 'bytea', values: [["'\\xff00'", '/wA=']], filters: false },
  {
    type: 'date',
    values: [
      ["'2024-02-29'", '2024-02-29'],
      ["'infinity'", 'infinity'],
      ["'0044-03-15 BC'", '0044-03-15 BC'],
      ["'12024-01-05'", '12024-01-05'],
    ],
  },
  {
    type: 'timestamp',
    values: [
      ["'2024-02-29 10:00:00'", '2024-02-29 10:00:00'],
      ["'infinity'", 'infinity'],
      ["'-infinity'", '-infinity'],
    ],
  },
  {
    type: 'timestamptz',
    values: [
      ["'2024-02-29 10:00:00+00'", '2024-02-29 10:00:00'],
      ["'infinity'", 'infinity'],
    ],
  },
  {
    type: 'time',
    values: [
      ["'10:00:00'", '10:00:00'],
      ["'24:00:00'", '24:00:00'],
      ["'10:00:00.25'", '10:00:00.25'],
    ],
    kept: [1],
  },
  { type: 'timetz', values: [["'10:00:00+02'", '10:00:00+02']] },
  { type: 'interval', values: [["'1 year 2 days 03:04:05'", '1 year 2 days 03:04:05']] },
  {
    type: 'uuid',
    values: [["'123e4567-e89b-42d3-a456-426614174000'", '123e4567-e89b-42d3-a456-426614174000']],
  },
  { type: 'json', values: [[`'{"a":[1,null]}'`, { a: [1, null] }], ...JSONS], filters: false },
  { type: 'jsonb', values: [[`'["x"]'`, ['x']], ...JSONS], filters: false },
  { type: 'xml', values: [["'<a>b</a>'", '<a>b</a>']] },
  { type: 'inet', values: [["'10.0.0.0/8'", '10.0.0.0/8']] },
  { type: 'cidr', values: [["'10.0.0.0/8'", '10.0.0.0/8']] },
  { type: 'macaddr', values: [["'08:00:2b:01:02:03'", '08:00:2b:01:02:03']] },
  { type: 'bit(4)', values: [["'1010'", '1010']] },
  { type: 'bit varying(8)', values: [["'10'", '10']] },
  { type: 'point', values: [["'(1,2)'", '(1,2)']] },
  { type: 'box', values: [["'(1,1),(0,0)'", '(1,1),(0,0)']] },
  { type: 'path', values: [["'((0,0),(1,1))'", '((0,0),(1,1))']] },
  { type: 'circle', values: [["'<(1,2),3>'", '<(1,2),3>']] },
  { type: 'tsvector', values: [["'a b'", "'a' 'b'"]] },
  { type: 'int4range', values: [["'[1,5)'", '[1,5)']] },
  { type: 'numrange', values: [["'[1.5,)'", '[1.5,)']] },
  { type: 'tsrange', values: [["'empty'", 'empty']] },
  { type: 'daterange', values: [["'[2024-01-01,2024-02-01)'", '[2024-01-01,2024-02-01)']] },
  {
    type: 'text[]',
    values: [
      [
        `array['a', 'b,c', 'd"e', '', null, ' f ', 'two' || chr(10) || 'lines']`,
        ['a', 'b,c', 'd"e', '', null, ' f ', 'two\nlines'],
      ],
      ["'{}'", []],
      [
        "'{{a,b},{c,d}}'",
        [
          ['a', 'b'],
          ['c', 'd'],
        ],
      ],
    ],
    filters: false,
  },
  { type: 'varchar(5)[]', values: [["'{b,b,a}'", ['b', 'b', 'a']]], filters: false },
  { type: 'integer[]', values: [["'{2,1,2}'", [2, 1, 2]]], filters: false },
  {
    type: 'bigint[]',
    values: [["'{9223372036854775807,1}'", ['9223372036854775807', 1]]],
    filters: false,
  },
  { type: 'numeric(20,5)[]', values: [[`'{${DIGITS},1.5}'`, [DIGITS, 1.5]]], filters: false },
  { type: 'boolean[]', values: [["'{t,f,null}'", [true, false, null]]], filters: false },
  {
    type: 'date[]',
    values: [["'{2024-02-29,infinity}'", ['2024-02-29', 'infinity']]],
    filters: false,
  },
  {
    type: 'timestamptz[]',
    values: [["'{2024-02-29 10:00:00+00}'", ['2024-02-29 10:00:00']]],
    filters: false,
  },
  { type: 'bytea[]', values: [["array['\\xff00'::bytea]", ['/wA=']]], filters: false },
  {
    type: 'jsonb[]',
    values: [[`array['{"a": 1}'::jsonb, '"x"']`, [{ a: 1 }, 'x']]],
    filters: false,
  },
  {
    type: 'uuid[]',
    values: [
      ["'{123e4567-e89b-42d3-a456-426614174000}'", ['123e4567-e89b-42d3-a456-426614174000']],
    ],
    filters: false,
  },
  { type: 'inet[]', values: [["'{10.0.0.0/8}'", ['10.0.0.0/8']]], filters: false },
  { type: 'int4range[]', values: [["array['[1,5)'::int4range]", ['[1,5)']]], filters: false },
  { type: 'oid', values: [['4294967295', 4294967295]] },
  { type: 'pg_lsn', values: [["'16/B374D848'", '16/B374D848']] },
]

const MYSQL: TypeSpecimen[] = [
  { type: 'tinyint', values: [['-128', -128]] },
  { type: 'smallint unsigned', values: [['65535', 65535]] },
  { type: 'mediumint', values: [['-8388608', -8388608]] },
  { type: 'int', values: [['2147483647', 2147483647]] },
  { type: 'bigint', values: [['-9223372036854775808', '-9223372036854775808']] },
  { type: 'bigint unsigned', values: [['18446744073709551615', '18446744073709551615']] },
  {
    type: 'decimal(20,5)',
    values: [
      [DIGITS, DIGITS],
      ['1.5', 1.5],
    ],
  },
  { type: 'decimal(10,2)', values: [['10.50', 10.5]] },
  { type: 'decimal(65,30)', values: [[MANY_DIGITS, MANY_DIGITS]] },
  { type: 'float', values: [['1.1', 1.1]] },
  { type: 'double', values: [['1e300', 1e300]] },
  {
    type: 'tinyint(1)',
    values: [
      ['1', true],
      ['0', false],
    ],
  },
  { type: 'bit(1)', values: [["b'1'", true]] },
  { type: 'bit(8)', values: [["b'10101010'", 170]] },
  { type: 'year', values: [['2024', 2024]] },
  {
    type: 'date',
    values: [
      ["'2024-02-29'", '2024-02-29'],
      ["'0000-00-00'", '0000-00-00'],
    ],
    kept: [1],
  },
  {
    type: 'datetime',
    values: [
      ["'2024-02-29 10:00:00'", '2024-02-29 10:00:00'],
      ["'0000-00-00 00:00:00'", '0000-00-00 00:00:00'],
    ],
    kept: [1],
  },
  {
    type: 'time(2)',
    values: [
      ["'10:00:00'", '10:00:00.00'],
      ["'838:59:59'", '838:59:59.00'],
      ["'-01:00:00.25'", '-01:00:00.25'],
    ],
  },
  { type: 'char(5)', values: [["'ab'", 'ab']] },
  { type: 'varchar(20)', values: [["'a,b'", 'a,b']] },
  { type: 'text', values: [["'two\\nlines'", 'two\nlines']] },
  { type: 'varbinary(8)', values: [['0xff00', '/wA=']], filters: false },
  { type: 'blob', values: [['0x00ff', 'AP8=']], filters: false },
  { type: 'point', values: [["st_geomfromtext('POINT(1 2)')", 'POINT(1 2)']], kept: [0] },
  { type: "enum('x','y')", values: [["'y'", 'y']] },
  { type: "set('x','y')", values: [["'x,y'", 'x,y']] },
  { type: 'json', values: [[`'{"a":[1,null]}'`, { a: [1, null] }], ...JSONS], filters: false },
]

const SQLITE: TypeSpecimen[] = [
  {
    type: 'bigint',
    values: [
      ['9223372036854775807', '9223372036854775807'],
      ['-1', -1],
    ],
  },
  { type: 'int', values: [['2147483647', 2147483647]] },
  { type: 'real', values: [['1.1', 1.1]] },
  {
    type: 'double',
    values: [
      ['9e999', 'Infinity'],
      ['1e300', 1e300],
    ],
    kept: [0],
  },
  { type: 'numeric', values: [['0.1', 0.1]] },
  { type: 'decimal(10,2)', values: [['10.5', 10.5]] },
  { type: 'varchar(20)', values: [["'a,b'", 'a,b']] },
  { type: 'text', values: [["'two' || char(10) || 'lines'", 'two\nlines']] },
  { type: 'blob', values: [["x'ff00'", '/wA=']], filters: false },
  {
    type: 'boolean',
    values: [
      ['1', true],
      ['0', false],
    ],
  },
  {
    type: 'date',
    values: [["'2024-02-29'", '2024-02-29']],
  },
  { type: 'datetime', values: [["'2024-02-29 10:00:00'", '2024-02-29 10:00:00']] },
  { type: 'time', values: [["'10:00:00'", '10:00:00']] },
  { type: 'json', values: [[`'{"a":[1,null]}'`, { a: [1, null] }], ...JSONS], filters: false },
  {
    type: 'char(36)',
    values: [["'123e4567-e89b-42d3-a456-426614174000'", '123e4567-e89b-42d3-a456-426614174000']],
  },
]

export const TYPES = each({ sqlite: SQLITE, postgres: POSTGRES, mysql: MYSQL })

/** Number of the rows that have every value, one of a type at a time */
export const TYPE_ROWS = Math.max(...TYPES.map(({ values }) => values.length))

export const columnOf = (index: number) => `c_${index}`

/** The value of a row in a column; undefined if the type has none for it, which is null there */
export const specimenOf = (index: number, row: number) => TYPES[index].values.at(row)

export const isArrayType = (type: string) => type.endsWith('[]')

/** True for an array with items that a filter can compare */
export const hasFilterOnItems = (type: string) => /^(?!bytea|jsonb).*\[\]$/.test(type)

/** Places of the types with a day */
export const DATED = TYPES.flatMap(({ type }, index) =>
  /^(?:date|datetime|timestamp|timestamptz)$/.test(type) ? [index] : []
)
