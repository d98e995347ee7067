import string from '@adonisjs/core/helpers/string'
import type { Column } from '#base/columns/column'
import type { Resource } from '../resource/resource.js'

/* Only at the end: `token_count` and `password_changed_at` are not secret. */
const SECRET = new RegExp(
  '(^|_)(' +
    'passwords?|passwd|pwd|passphrases?|secrets?|tokens?|credentials?|otp|pin|cvv|recovery_codes?|' +
    '(api|access|auth|private|secret|signing|encryption|license|licence|ssh|session)_?keys?' +
    ')(_(hash|digest|value|pem))?$'
)

const SHOWN = new WeakMap<Resource, readonly Column[]>()

/**
 * The columns that events may report: without hidden columns and columns with the name of a secret,
 * however the model serialises them. [E4]
 */
export function loggedColumns(resource: Resource): readonly Column[] {
  let columns = SHOWN.get(resource)
  if (!columns) {
    columns = resource.columns.visible.filter((column) => !isSecret(column))
    SHOWN.set(resource, columns)
  }
  return columns
}

function isSecret({ attribute, name, apiName }: Column): boolean {
  return [attribute, name, apiName].some(isSecretName)
}

/** True if a name is that of a secret. */
export function isSecretName(name: string): boolean {
  return SECRET.test(string.snakeCase(name))
}
