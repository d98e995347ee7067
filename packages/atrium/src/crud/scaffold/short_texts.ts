import string from '@adonisjs/core/helpers/string'
import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import type { TableIntrospection } from '#base/database/introspection'
import { isUnquotable, valueKind } from './table_column.js'

/* Rows whose texts are measured */
const ROWS = 1000

/* Characters of a field of one line at most */
const LONGEST_LINE = 255

const LONG_TEXTS =
  /(?:^|_)(?:text|body|content|contents|description|notes?|comments?|remarks?|messages?|summary|abstract|bio|biography|details|html|markdown|article|review|instructions|story|plot|synopsis|terms)$/

/**
 * Columns of a table whose texts have no limit by their type, but fit into one line: the name suggests no
 * long text, and the first rows have none. In SQLite and PostgreSQL, most texts have no limit.
 */
export async function shortTexts(
  client: QueryClientContract,
  table: string,
  { columns, isView }: TableIntrospection
): Promise<ReadonlySet<string>> {
  const names = [...columns].flatMap(([name, column]) => {
    const isUnlimited = column.maxLength === null && /text|char|clob/.test(column.sqlType)
    const isText = valueKind(column) === 'text' && !column.choices && !column.element
    const isLong = LONG_TEXTS.test(string.snakeCase(name))
    return isText && isUnlimited && !isLong && !isUnquotable(name) ? name : []
  })
  if (isView || names.length === 0) return new Set()
  const tests = names.map((name, index) =>
    client.raw(
      `max(case when length(??) > ${LONGEST_LINE} or ?? like '%\n%' then 1 else 0 end) as ??`,
      [name, name, `long_${index}`]
    )
  )
  const [found] = await client
    .from((rows) => void rows.from(table).select(names).limit(ROWS).as('measured'))
    .select(...tests)
  return new Set(names.filter((_, index) => Number(found[`long_${index}`] ?? 0) === 0))
}
