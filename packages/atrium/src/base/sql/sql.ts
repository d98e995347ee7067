import type { LucidModel, ModelQueryBuilderContract } from '@adonisjs/lucid/types/model'

/** A fragment of SQL, with a question mark for each of its values. */
export interface Sql {
  sql: string
  bindings: unknown[]
}

/** An extra select expression of a row. */
export interface ExtraColumn {
  /** Alias in the result */
  as: string
  /** The select expression with its alias */
  sql: string
}

/** Returns the fragments joined with `and` or `or` to one condition. */
export function joined(pieces: readonly Sql[], word: 'and' | 'or'): Sql {
  let sql = ''
  const bindings: unknown[] = []
  for (const piece of pieces) {
    sql += sql === '' ? `(${piece.sql})` : ` ${word} (${piece.sql})`
    bindings.push(...piece.bindings)
  }
  return { sql, bindings }
}

/** Narrows a query to the rows that meet the condition. */
export function whereSql(
  query: ModelQueryBuilderContract<LucidModel, any>,
  { sql, bindings }: Sql
): void {
  query.whereRaw(`(${sql})`, bindings as any[])
}

/**
 * Returns the insert of a row (not for MySQL, which uses other quotes).
 *
 * @param table  quoted table name
 */
export function insertSql(table: string, row: Record<string, unknown>): Sql {
  const names = Object.keys(row)
  const places = names.map(() => '?').join(', ')
  return {
    sql: `insert into ${table} (${names.map(quoted).join(', ')}) values (${places})`,
    bindings: Object.values(row),
  }
}

/**
 * Returns the update of the rows that meet a condition (not for MySQL).
 *
 * @param table    quoted table name
 * @param changes  new values by column name
 */
export function updateSql(table: string, changes: Record<string, unknown>, where: Sql): Sql {
  const parts = Object.keys(changes).map((name) => `${quoted(name)} = ?`)
  return {
    sql: `update ${table} set ${parts.join(', ')} where ${where.sql}`,
    bindings: [...Object.values(changes), ...where.bindings],
  }
}

/**
 * Returns the insert of rows with the same columns (not for MySQL).
 *
 * @param table  quoted table name
 */
export function insertRowsSql(table: string, rows: ReadonlyArray<Record<string, unknown>>): Sql {
  const names = Object.keys(rows[0])
  const places = `(${names.map(() => '?').join(', ')})`
  return {
    sql: `insert into ${table} (${names.map(quoted).join(', ')}) values ${rows.map(() => places).join(', ')}`,
    bindings: rows.flatMap((row) => names.map((name) => row[name])),
  }
}

/** Returns a name quoted for a statement; any characters are safe. (MySQL uses other quotes.) */
export function quoted(name: string): string {
  /* Few names contain a quote, and this check takes a tenth of the time. */
  return name.includes('"') ? `"${name.replaceAll('"', '""')}"` : `"${name}"`
}
