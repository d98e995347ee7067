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
