/** Symbols for any number of characters, and for exactly one character. */
export const ANY = Symbol('any')
export const ONE = Symbol('one')

/**
 * A text pattern, independent of the syntax of a database: characters of literal text have no special meaning.
 */
export type TextPattern = Array<string | typeof ANY | typeof ONE>

/**
 * Parses a `like` pattern: `%` is any number of characters, `_` is one character, and a backslash makes the next
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
 * Returns every form of a letter in another case, including the letter itself: `a` and `A`; `ß` and `ẞ`; `σ`, `ς` and
 * `Σ`. Contains only single-character forms, and accents always differ. This is Unicode's simple case folding, which
 * regular expressions use as well.
 */
export function caseVariants(character: string): string[] {
  letterGroups ??= groupLetters()
  const group = letterGroups.get(character)
  if (!group) return [character]
  const same = new RegExp(`^${character}$`, 'iu')
  return [...group].filter((form) => same.test(form))
}

/*
 * Maximum number of different letters to fold in a pattern: each is searched for in the whole text. No alphabet has as
 * many.
 */
const MOST_LETTERS = 100

/* Maximum length of the pattern parts that are compared at each position of a text */
export const LONGEST_PART = 100

/**
 * Returns the common form of a letter in any case: the lowercase letter in ASCII, otherwise one with the fewest bytes.
 */
export function foldLetter(character: string): { folded: string; forms: string[] } {
  const forms = caseVariants(character)
  if (forms.length === 1) return { folded: character, forms }
  const [folded] = forms.toSorted(
    (one, two) => Buffer.byteLength(one) - Buffer.byteLength(two) || (one > two ? -1 : 1)
  )
  return { folded, forms }
}

/** Returns a text with each letter in its common form. */
export function foldText(text: string): string {
  return [...text].map((character) => foldLetter(character).folded).join('')
}

/** Returns the parts before, between and after the `ANY` wildcards, with one entry per character. */
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

/** Returns the length of the suffix in a pattern such as `%text`, or 0 for any other pattern. */
export function lengthOfEnd([before, last, ...others]: Parts): number {
  return before.length === 0 && last && others.length === 0 ? last.length : 0
}

/** Returns the text of a pattern that searches for it anywhere, or null for any other pattern. */
export function containedText(parts: Parts): string | null {
  const [before, middle, after] = parts
  if (parts.length !== 3 || before.length > 0 || after.length > 0) return null
  return middle.includes(ONE) ? null : middle.join('')
}

/**
 * Returns the maximum number of characters that a database compares at each position of a text: 0 for a suffix, or for
 * one literal text anywhere.
 */
export function comparedLength(pattern: TextPattern): number {
  const parts = partsOf(pattern)
  if (lengthOfEnd(parts) > 0 || containedText(parts) !== null) return 0
  return Math.max(0, ...parts.slice(1).map((part) => part.length))
}

/** Returns the reason why the patterns would take too long, or null. */
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
 * Returns groups of characters that conversion to upper or lower case maps to each other. An uppercase form can have
 * several characters: those that share it, such as `ﬅ` and `ﬆ`, are in one group.
 */
function groupLetters(): Map<string, Set<string>> {
  const groups = new Map<string, Set<string>>()
  const cased = /^\p{Changes_When_Casemapped}$/u
  for (let code = 0x41; code <= 0x1e943; code++) {
    /* Beyond the first Unicode plane, only the second has letters with cases. */
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
