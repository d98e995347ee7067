/* Characters that people put around a name to make a password of it */
const AROUND = /^[^\p{L}]+|[^\p{L}]+$/gu

/**
 * Returns true if a password is the user name, whatever the case, or that with digits and signs before or after
 * it: `Jo.2026!` for `jo`. [U13]
 */
export function isUserName(password: string, username: string): boolean {
  const [text, name] = [password.toLowerCase(), username.toLowerCase()]
  const core = name.replaceAll(AROUND, '')
  return text === name || (core !== '' && text.replaceAll(AROUND, '') === core)
}
