import Bowser from 'bowser'

/* Programs such as curl, which no list of browsers has: the first word of `curl/8.5.0`. */
const PROGRAM = /^(?!Mozilla\/)[\w.-]{1,40}(?=\/\d)/

const KNOWN_BROWSERS = new Set<string>(Object.values(Bowser.BROWSER_MAP))

/**
 * Browser and system, as in "Firefox on Linux": enough for people to recognise their own sessions.
 *
 * @param userAgent  the header of the same name
 * @returns null if neither is known
 */
export function deviceName(userAgent: string | null): string | null {
  if (!userAgent) return null
  const { browser, os } = Bowser.parse(userAgent)
  /* For a browser that it does not know, Bowser returns what the header says. */
  const name = KNOWN_BROWSERS.has(browser.name ?? '')
    ? browser.name!.replace(/^Microsoft /, '')
    : PROGRAM.exec(userAgent)?.[0]
  return [name, os.name].filter(Boolean).join(' on ') || null
}
