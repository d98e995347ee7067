/** Kind, table and columns of a failed statement. */
interface FailedStatement {
  verb: 'insert' | 'update' | 'delete'
  table: string
  /** Columns that an update sets */
  columns: string[]
}

const STATEMENT =
  /^(insert|replace|update|delete)(?: or \w+)?(?: ignore)?(?: into| from)? (?:[`"][^`"]+[`"]\.)?[`"]([^`"]+)[`"]/i

/**
 * Parses the statement that Knex puts before a driver's message. For a broken reference, SQLite does not name columns
 * and table, and PostgreSQL describes the direction only in the language of the server.
 *
 * @param text  the message, or the statement itself
 * @returns undefined if the text does not contain such a statement
 */
export function failedStatement(text: string): FailedStatement | undefined {
  const [, word, table] = STATEMENT.exec(text) ?? []
  if (!table) return undefined
  const verb = word.toLowerCase().replace('replace', 'insert') as FailedStatement['verb']
  const set = verb === 'update' ? (/ set (.*?)(?: where | - |$)/is.exec(text)?.[1] ?? '') : ''
  return { verb, table, columns: [...set.matchAll(/[`"]([^`"]+)[`"] = /g)].map(([, one]) => one) }
}

const MOST_CHARACTERS = 1000

/**
 * Returns the message that database code raised, as in `raise exception 'Out of stock'`, without the statement that
 * Knex puts before it. The connection stores the message as `reason`. Without `reason`, the text after the last ` - `
 * is returned, because only there no part of the statement can be.
 */
export function raisedMessage(error: Partial<Error> & { reason?: string }): string {
  return shortened(error.reason ?? error.message?.split(' - ').at(-1) ?? '')
}

/** Returns the message, shortened to the maximum length. */
export function shortened(message: string): string {
  return message.trim().slice(0, MOST_CHARACTERS).toWellFormed()
}
