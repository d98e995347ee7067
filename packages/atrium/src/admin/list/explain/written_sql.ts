import type { Sql } from '#base/sql/sql'

/* Quoted names and texts, in which keywords have no meaning */
const QUOTED = /("[^"]*"|`[^`]*`|'[^']*')/

const LONGEST_VALUE = 200

/** Returns a statement with line breaks before its clauses. */
export function writtenSql({ sql }: Sql): string {
  const parts = sql.split(QUOTED)
  const lines = parts.map((part, index) =>
    index % 2 === 1 ? part : part.replaceAll(/ (from|where|order by|limit) /g, '\n$1 ')
  )
  return lines.join('')
}

/** Returns the values of a statement for display, in the order of its placeholders. */
export function writtenBindings({ bindings }: Sql): string[] {
  return bindings.map((value) => {
    if (Buffer.isBuffer(value)) return `${value.length} bytes`
    const text = typeof value === 'string' ? JSON.stringify(value) : String(value)
    return text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE)}…` : text
  })
}
