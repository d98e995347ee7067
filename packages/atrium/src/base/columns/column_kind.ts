/** Value types of columns in the API. */
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

/** Returns the value type of an SQL type in lower case; text for any unknown type. */
export function kindOf(sqlType: string): ColumnKind {
  return KINDS.find(([pattern]) => pattern.test(sqlType))?.[1] ?? 'text'
}

/** True if the database stores every decimal digit of the type. */
export function isDecimalType(sqlType: string): boolean {
  return /decimal|numeric|money/i.test(sqlType)
}
