/**
 * What a statement that failed was about to do.
 */
export interface FailedStatement {
  verb: 'insert' | 'update' | 'delete'
  table: string
  /** What an update sets */
  columns: string[]
}

const STATEMENT =
  /^(insert|replace|update|delete)(?: or \w+)?(?: ignore)?(?: into| from)? (?:[`"][^`"]+[`"]\.)?[`"]([^`"]+)[`"]/i

/**
 * Reads the statement that knex puts in front of a driver's message. SQLite names neither columns nor
 * table of a broken reference, and PostgreSQL tells its direction only in words, which are in the
 * server's language.
 *
 * @param text  the message, or the statement itself
 * @returns undefined where no such statement stands there
 */
export function failedStatement(text: string): FailedStatement | undefined {
  const [, word, table] = STATEMENT.exec(text) ?? []
  if (!table) return undefined
  const verb = word.toLowerCase().replace('replace', 'insert') as FailedStatement['verb']
  const set = verb === 'update' ? (/ set (.*?)(?: where | - |$)/is.exec(text)?.[1] ?? '') : ''
  return { verb, table, columns: [...set.matchAll(/[`"]([^`"]+)[`"] = /g)].map(([, one]) => one) }
}
