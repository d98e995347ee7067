/**
 * Reason of a temporary failure: a lock is not released in time, the database does not respond, or it has
 * no space left.
 */
export type Unavailability = 'busy' | 'away' | 'full'

/** A write has waited too long for other writes, or has blocked them too long. */
export class WaitedTooLong extends Error {}

/** A write was rolled back because another write in the same transaction made the database roll back. */
export class SharedTransactionUndone extends Error {
  constructor(cause: unknown) {
    super('The database rolled back this write together with another one', { cause })
  }
}

const CODES: Record<Unavailability, Set<string>> = {
  busy: new Set([
    'SQLITE_BUSY',
    'SQLITE_LOCKED',
    /* PostgreSQL: serialization failure, deadlock, lock timeout, too many connections */
    '40001',
    '40P01',
    '55P03',
    '53300',
    'ER_LOCK_WAIT_TIMEOUT',
    'ER_LOCK_DEADLOCK',
    'ER_CHECKREAD',
    'ER_CON_COUNT_ERROR',
    'ER_TOO_MANY_USER_CONNECTIONS',
  ]),
  away: new Set([
    'ECONNREFUSED',
    'ECONNRESET',
    'EPIPE',
    'ETIMEDOUT',
    'EHOSTUNREACH',
    'ENETUNREACH',
    'ENOTFOUND',
    'EAI_AGAIN',
    /* PostgreSQL: shut down, crashed, starting, broken connections */
    '57P01',
    '57P02',
    '57P03',
    '08000',
    '08001',
    '08003',
    '08004',
    '08006',
    'PROTOCOL_CONNECTION_LOST',
    'ER_SERVER_SHUTDOWN',
    'ER_NORMAL_SHUTDOWN',
    'ER_CONNECTION_KILLED',
    'ER_ABORTING_CONNECTION',
    'ER_NEW_ABORTING_CONNECTION',
  ]),
  full: new Set([
    'SQLITE_FULL',
    'ENOSPC',
    'EDQUOT',
    'EFBIG',
    '53100',
    'ER_DISK_FULL',
    'ER_RECORD_FILE_FULL',
  ]),
}

/* For errors of PostgreSQL and MySQL without a code; knex puts the statement before the message. */
const LOST =
  /(^| - )(Connection terminated( unexpectedly| due to connection timeout)?|timeout expired|timeout exceeded when trying to connect|Client has encountered a connection error and is not queryable|Can't add new command when connection is in closed state)$/

/**
 * Returns the reason of a temporary error of a driver or of the connection pool.
 *
 * @returns undefined for an error that would occur again
 */
export function unavailability(error: unknown): Unavailability | undefined {
  const { code, syscall, name, message } = (error ?? {}) as Record<string, string | undefined>
  /* SQLite's extended codes are more specific than needed. */
  const base = String(code).replace(/^(SQLITE_(?:BUSY|LOCKED|FULL))_\w+$/, '$1')
  for (const [reason, codes] of Object.entries(CODES)) {
    if (codes.has(base)) {
      return reason as Unavailability
    }
  }
  if (error instanceof WaitedTooLong || error instanceof SharedTransactionUndone) return 'busy'
  /* The socket does not exist in the file system. */
  if (code === 'ENOENT' && syscall === 'connect') return 'away'
  if (name === 'KnexTimeoutError') return 'busy'
  return LOST.test(String(message)) ? 'away' : undefined
}
