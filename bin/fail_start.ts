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

/**
 * One line about an error that an operator can fix; undefined for any other error.
 */
export function plainReason(error: any): string | undefined {
  if (error?.code === 'EADDRINUSE') {
    return `Port ${error.port} is in use: end the program that uses it, or choose another port: PORT=${Number(error.port) + 1} npm start`
  }
  if (error?.code === 'ERR_SOCKET_BAD_PORT') {
    return `PORT is not a valid port: use a number from 0 to 65535`
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
  if (error?.code === 'EADDRNOTAVAIL' || isUnknownHost(error)) {
    return `HOST is not an address of this machine: use localhost, 0.0.0.0 for all of its addresses, or one of them`
  }
  if (error?.code === 'ERR_MODULE_NOT_FOUND' && /'@aws-sdk\//.test(error.message)) {
    return `DRIVE_DISK=s3 needs two packages: npm install @aws-sdk/client-s3 @aws-sdk/s3-request-presigner`
  }
  if (isDatabaseRefusal(error)) {
    return `The database can't be used: ${String(error.message).split('\n', 1)[0]}. Check DB_HOST, DB_PORT, DB_DATABASE, DB_USER, DB_PASSWORD and DB_TLS`
  }
  if (PLAIN_CODES.has(error?.code)) {
    return [error.message, error.help].filter(Boolean).join('\n')
  }
  return undefined
}

function isUnknownHost(error: any): boolean {
  return error?.code === 'ENOTFOUND' && error.hostname === process.env.HOST
}

/* Of the connection to PostgreSQL, MySQL or MariaDB: network, login, name of the database, encryption */
const REFUSED = new Set([
  ...['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH'],
  ...['28P01', '28000', '3D000', 'ER_ACCESS_DENIED_ERROR', 'ER_DBACCESS_DENIED_ERROR'],
  'ER_ACCESS_DENIED_NO_PASSWORD_ERROR',
  ...['ER_BAD_DB_ERROR', 'HANDSHAKE_NO_SSL_SUPPORT', 'DEPTH_ZERO_SELF_SIGNED_CERT'],
  ...['SELF_SIGNED_CERT_IN_CHAIN', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'CERT_HAS_EXPIRED'],
  ...['ERR_TLS_CERT_ALTNAME_INVALID', 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY'],
])

function isDatabaseRefusal(error: any): boolean {
  const isServer = ['postgres', 'mysql'].includes(process.env.DB_CONNECTION ?? '')
  return isServer && (REFUSED.has(error?.code) || /support SSL connections/.test(error?.message))
}
