/** Kind, table and columns of a failed statement. */
export interface FailedStatement {
  verb: 'insert' | 'update' | 'delete'
  table: string
  /** The columns that an update sets */
  columns: string[]
}

const STATEMENT =
  /^(insert|replace|update|delete)(?: or \w+)?(?: ignore)?(?: into| from)? (?:[`"][^`"]+[`"]\.)?[`"]([^`"]+)[`"]/i

/**
 * Parses the statement that knex puts before a driver's message. For a broken reference, SQLite names
 * no columns and no table, and PostgreSQL describes the direction only in the language of the server.
 *
 * @param text  the message, or the statement itself
 * @returns undefined if the text holds no such statement
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
 * The message that the database's own code raised, as in `raise exception 'Out of stock'`, without the
 * statement that knex puts before it: the connection has noted it as `reason`. Without that, only the part
 * after the last ` - ` surely contains nothing of the statement.
 */
export function raisedMessage(error: Partial<Error> & { reason?: string }): string {
  return shortened(error.reason ?? error.message?.split(' - ').at(-1) ?? '')
}

/** A message for people, in bounds. */
export function shortened(message: string): string {
  return message.trim().slice(0, MOST_CHARACTERS).toWellFormed()
}
