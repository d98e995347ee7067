/** Words that everybody tries first at a site like this one, whatever its name */
const USUAL = ['atrium', 'admin', 'administrator', 'superuser']

/* A shorter part of a name would refuse passwords that have nothing to do with it. */
const SHORTEST_PART = 3

/**
 * The words of a site that a password must not be: its title, its host, and their parts. [U13]
 *
 * @param site.title   as every page shows it
 * @param site.appUrl  address of the site
 */
export function wordsOfSite({ title, appUrl }: { title: string; appUrl: string }): string[] {
  const host = URL.canParse(appUrl) ? new URL(appUrl).hostname : ''
  const labels = host.split('.')
  const parents = labels.map((_, index) => labels.slice(index).join('.'))
  return [...USUAL, title, ...partsOf(title), ...parents, ...labels, ...partsOf(host)]
}

/**
 * The words of an e-mail address that its owner's password must not be. [U13]
 */
export function wordsOfEmail(email: string): string[] {
  const [local] = email.split('@', 1)
  return [email, local, ...partsOf(local)]
}

/**
 * Returns true if a password is one of the words, whatever the case and the signs in between, or that with digits
 * and signs before or after it: `Film-Shop 2026!` for `Film shop`. [U13]
 */
export function isContextWord(password: string, words: readonly string[]): boolean {
  const core = coreOf(password)
  return core !== '' && words.some((word) => coreOf(word) === core)
}

function partsOf(text: string): string[] {
  return text.split(/[^\p{L}\p{N}]+/u).filter((part) => [...part].length >= SHORTEST_PART)
}

/** Letters and digits from the first to the last letter. */
function coreOf(text: string): string {
  return text
    .toLowerCase()
    .replace(/^[^\p{L}]+|[^\p{L}]+$/gu, '')
    .replace(/[^\p{L}\p{N}]/gu, '')
}
