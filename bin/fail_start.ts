import { prettyPrintError } from '@adonisjs/core'

/**
 * Ends the process after a failed start. An error that an operator can fix is one clear line without a
 * stack; any other error is printed whole, for a developer.
 */
export async function failStart(error: unknown) {
  const reason = plainReason(error)
  if (reason) {
    console.error(`\nThe server did not start. ${reason}\n`)
  } else {
    await prettyPrintError(error)
  }
  process.exit(1)
}

const PLAIN_CODES = new Set(['E_CONFIGURATION', 'E_RUNTIME', 'E_VALUE', 'E_INVALID_ENV_VARIABLES'])

function plainReason(error: any): string | undefined {
  if (error?.code === 'EADDRINUSE') {
    return `Port ${error.port} is taken: end the program that uses it, or choose another one: PORT=${Number(error.port) + 1} npm start`
  }
  if (error?.code === 'ERR_SOCKET_BAD_PORT') {
    return `PORT is no port: use a number from 0 to 65535`
  }
  if (error?.code === 'EACCES' && error.syscall === 'listen') {
    return `This user may not listen on port ${error.port}: choose one above 1023, as in PORT=3333 npm start`
  }
  if (['EACCES', 'EROFS', 'EPERM'].includes(error?.code) && error.path) {
    return `${error.path} can't be written: give this user the right to write there`
  }
  if (error?.code === 'SQLITE_CANTOPEN' || error?.code === 'SQLITE_READONLY') {
    return `The database file can't be opened for writing: check DB_DATABASE in .env and the rights of its folder`
  }
  if (PLAIN_CODES.has(error?.code)) {
    return [error.message, error.help].filter(Boolean).join('\n')
  }
  return undefined
}
