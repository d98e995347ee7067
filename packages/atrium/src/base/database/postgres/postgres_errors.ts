import { failedStatement } from '../failed_statement.js'
import type { DatabaseError } from '../introspection.js'
import { raisedMessage } from '../failed_statement.js'

type PostgresError = Error & Record<string, string | undefined>

/* Check option of a view */
const WITH_CHECK_OPTION = '44000'
const WRONG_TYPE = '42804'
const TOO_LONG_FOR_INDEX = '54000'

/** Parses an error of PostgreSQL by its code, because messages are in the server's language. */
export function explainPostgres(error: unknown): DatabaseError | null {
  const { code = '', table, column, constraint, routine = '' } = error as PostgresError
  if (isRaised(code, routine)) {
    return { kind: 'raised', columns: [], message: raisedMessage(error as Error) }
  }
  if (VIEW_ROUTINES.test(routine)) return { kind: 'view', columns: [] }
  const columns = column === undefined ? [] : [column]
  switch (code) {
    case '23505':
      return { kind: 'unique', table, columns, constraint }
    case '23503':
    case '23001':
      return brokenReference(error as PostgresError)
    case '23502':
      return { kind: 'not_null', table, columns }
    case '23514':
    case '23P01':
    case WITH_CHECK_OPTION:
      return { kind: 'check', table, columns, constraint }
    case '42501':
      /* A policy of the table; other missing privileges are a configuration problem. */
      return routine === 'ExecWithCheckOptions' ? { kind: 'check', table, columns } : null
    case WRONG_TYPE:
    case TOO_LONG_FOR_INDEX:
      return { kind: 'range', columns }
    case '0A000':
      /* A rule that replaces the statement */
      return routine === 'RewriteQuery' ? { kind: 'nothing_stored', columns } : null
    /* A trigger changed or deleted the row first */
    case '27000':
      return { kind: 'nothing_stored', columns }
    default:
      return code.startsWith('22') ? { kind: 'range', columns } : null
  }
}

/* Functions of PostgreSQL that refuse to write to a view. */
const VIEW_ROUTINES = /^(rewriteTargetView|CheckValidResultRel|error_view_not_updatable)/

/* Classes of error codes that PostgreSQL itself uses, without those of external routines. */
const OWN_CLASSES = new Set(
  '00 01 02 03 08 09 0A 0B 0F 0L 0P 0Z 10 20 21 22 23 24 25 26 27 28 2B 2D 2F 34 3B 3D 3F 40 42 44 53 54 55 57 58 72 F0 HV P0 XX'.split(
    ' '
  )
)

/** Returns true for an error that a trigger or function of the database raised, with a custom or a standard code. */
function isRaised(code: string, routine: string): boolean {
  if (!/^[0-9A-Z]{5}$/.test(code)) return false
  if (!OWN_CLASSES.has(code.slice(0, 2))) return true
  const isTemporary = /^(40|53|55P|57)/.test(code)
  return !isTemporary && (routine === 'exec_stmt_raise' || routine === 'exec_stmt_assert')
}

/**
 * Returns the broken reference. The table is always the referring one. If the statement does not show the direction,
 * the message of the server is used, which has to be in English.
 */
function brokenReference({
  code,
  message = '',
  table,
  constraint,
}: Record<string, string | undefined>): DatabaseError {
  const statement = failedStatement(message)
  const isUsed =
    code === '23001' ||
    statement?.verb === 'delete' ||
    (statement?.verb === 'update' && statement.table !== table) ||
    message.includes('update or delete on table ')
  if (isUsed) return { kind: 'foreign_key', reference: 'used', columns: [] }
  const isMissing = statement?.verb === 'insert' || message.includes('insert or update on table ')
  if (isMissing)
    return { kind: 'foreign_key', reference: 'missing', table, columns: [], constraint }
  return { kind: 'foreign_key', columns: [] }
}
