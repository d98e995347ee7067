import Bowser from 'bowser'

/* Name of a program such as curl, which lists of browsers do not contain: the first word of `curl/8.5.0`. */
const PROGRAM = /^(?!Mozilla\/)[\w.-]{1,40}(?=\/\d)/

const KNOWN_BROWSERS = new Set<string>(Object.values(Bowser.BROWSER_MAP))

/**
 * Returns browser and system, such as "Firefox on Linux", by which users recognize their sessions.
 *
 * @param userAgent  value of the `User-Agent` header
 * @returns null if neither is known
 */
export function deviceName(userAgent: string | null): string | null {
  if (!userAgent) return null
  const { browser, os } = Bowser.parse(userAgent)
  /* For an unknown browser, Bowser returns text of the header. */
  const name = KNOWN_BROWSERS.has(browser.name ?? '')
    ? browser.name!.replace(/^Microsoft /, '')
    : PROGRAM.exec(userAgent)?.[0]
  return [name, os.name].filter(Boolean).join(' on ') || null
}
