import string from '@adonisjs/core/helpers/string'

/* Matches only at the end: `token_count` and `password_changed_at` are not secret. */
const SECRET = new RegExp(
  '(^|_)(' +
    'passwords?|passwd|pwd|passphrases?|secrets?|tokens?|credentials?|otp|pin|cvv|recovery_codes?|' +
    '(api|access|auth|private|secret|signing|encryption|license|licence|ssh|session)_?keys?' +
    ')(_(hash|digest|value|pem))?$'
)

/** True if the name indicates a secret. */
export function isSecretName(name: string): boolean {
  return SECRET.test(string.snakeCase(name))
}
