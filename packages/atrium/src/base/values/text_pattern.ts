/**
 * Any run of characters, and exactly one character.
 */
export const ANY = Symbol('any')
export const ONE = Symbol('one')

/**
 * A pattern for texts, independent of a database's syntax: literal text is literal, whatever characters
 * it contains. [A18]
 */
export type TextPattern = Array<string | typeof ANY | typeof ONE>

/**
 * Reads a `like` pattern: `%` is any run of characters, `_` is one, and a backslash makes the next
 * character literal.
 */
export function parseLike(text: string): TextPattern {
  const pattern: TextPattern = []
  let literal = ''
  const flush = () => {
    if (literal) pattern.push(literal)
    literal = ''
  }

  const characters = [...text]
  for (let index = 0; index < characters.length; index++) {
    const character = characters[index]
    if (character === '\\' && index + 1 < characters.length) {
      literal += characters[++index]
    } else if (character === '%' || character === '_') {
      flush()
      pattern.push(character === '%' ? ANY : ONE)
    } else {
      literal += character
    }
  }
  flush()
  return pattern
}

/**
 * Every form of a letter in another case, itself included: `a` and `A`; `ß` and `ẞ`; `σ`, `ς` and `Σ`.
 * Only forms of one character count ("letter by letter"), and accents always differ. This is Unicode's
 * simple case folding, which regular expressions use as well.
 */
export function caseVariants(character: string): string[] {
  letterGroups ??= groupLetters()
  const group = letterGroups.get(character)
  if (!group) return [character]
  const same = new RegExp(`^${character}$`, 'iu')
  return [...group].filter((form) => same.test(form))
}

/* Each is searched in the whole text; no alphabet has as many. */
const MOST_LETTERS = 100

/* The text is compared with such a part at each of its positions. */
export const LONGEST_PART = 100

/** The common form of a letter in any case: the small letter in ASCII, else one with the fewest bytes. */
export function foldLetter(character: string): { folded: string; forms: string[] } {
  const forms = caseVariants(character)
  if (forms.length === 1) return { folded: character, forms }
  const [folded] = forms.toSorted(
    (one, two) => Buffer.byteLength(one) - Buffer.byteLength(two) || (one > two ? -1 : 1)
  )
  return { folded, forms }
}

/** A text in the common form of its letters. */
export function foldText(text: string): string {
  return [...text].map((character) => foldLetter(character).folded).join('')
}

/** The parts before, between and after the runs of any characters, one entry per character. */
export function partsOf(pattern: TextPattern): Array<Array<string | typeof ONE>> {
  const parts: Array<Array<string | typeof ONE>> = [[]]
  pattern.forEach((part, index) => {
    if (part === ONE) parts.at(-1)!.push(ONE)
    else if (part !== ANY) parts.at(-1)!.push(...part)
    else if (index === 0 || pattern[index - 1] !== ANY) parts.push([])
  })
  return parts
}

type Parts = ReturnType<typeof partsOf>

/** The length of a suffix pattern, or 0 if the pattern is not just a suffix. */
export function lengthOfEnd([before, last, ...others]: Parts): number {
  return before.length === 0 && last && others.length === 0 ? last.length : 0
}

/** The text of a pattern that searches it anywhere, or null for any other pattern. */
export function containedText(parts: Parts): string | null {
  const [before, middle, after] = parts
  if (parts.length !== 3 || before.length > 0 || after.length > 0) return null
  return middle.includes(ONE) ? null : middle.join('')
}

/**
 * The maximum number of characters that a database compares at each position of a text: 0 for a suffix,
 * or for one literal text anywhere.
 */
export function comparedLength(pattern: TextPattern): number {
  const parts = partsOf(pattern)
  if (lengthOfEnd(parts) > 0 || containedText(parts) !== null) return 0
  return Math.max(0, ...parts.slice(1).map((part) => part.length))
}

/** The reason why the patterns would take too long, or null. [A18] */
export function patternError(
  matches: Array<{ pattern: TextPattern; foldCase: boolean }>
): { reason: 'part' | 'letters'; most: number } | null {
  const compared = matches.reduce((sum, { pattern }) => sum + comparedLength(pattern), 0)
  if (compared > LONGEST_PART) {
    return { reason: 'part', most: LONGEST_PART }
  }
  const folded = matches.filter(({ foldCase }) => foldCase)
  return folded.some(({ pattern }) => casedLetters(pattern) > MOST_LETTERS)
    ? { reason: 'letters', most: MOST_LETTERS }
    : null
}

function casedLetters(pattern: TextPattern): number {
  const letters = new Set(partsOf(pattern).flat())
  return [...letters].filter((one) => one !== ONE && caseVariants(one).length > 1).length
}

let letterGroups: Map<string, Set<string>> | undefined

/**
 * Groups of characters that upper or lower case converts into each other. A capital may be several
 * characters: those that share it are in one group, such as `ﬅ` and `ﬆ`.
 */
function groupLetters(): Map<string, Set<string>> {
  const groups = new Map<string, Set<string>>()
  const cased = /^\p{Changes_When_Casemapped}$/u
  for (let code = 0x41; code <= 0x1e943; code++) {
    /* Beyond the first plane, only the second has letters with cases. */
    if (code === 0xd800) code = 0xe000
    const letter = String.fromCodePoint(code)
    if (!cased.test(letter)) continue
    for (const form of [letter.toLowerCase(), letter.toUpperCase()]) {
      const merged = new Set([...(groups.get(letter) ?? [letter]), ...(groups.get(form) ?? [form])])
      merged.forEach((member) => groups.set(member, merged))
    }
  }
  return groups
}
