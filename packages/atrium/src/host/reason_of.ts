/** The driver's message, without the statement that Knex puts before it, which may be many lines long. */
export function reasonOf(error: any): string {
  const message = String(error?.message ?? error)
  const start = error?.code ? message.lastIndexOf(`${error.code}: `) : -1
  return message.slice(Math.max(start, 0)).split('\n')[0]
}
