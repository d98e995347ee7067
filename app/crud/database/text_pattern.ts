/**
 * Any run of characters, and exactly one character.
 */
export const ANY = Symbol('any')
export const ONE = Symbol('one')

/**
 * What a text is to look like, apart from how a database spells it: literal text is literal, whatever
 * signs it holds. [A18]
 */
export type TextPattern = Array<string | typeof ANY | typeof ONE>

/**
 * Reads a `like` pattern: `%` is any run of characters, `_` one, and a backslash makes the next sign
 * literal.
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
 * Every way to write the letter in another case, itself included: `a` and `A`; `ß` and `ẞ`; `σ`, `ς`
 * and `Σ`. Only forms of one character count ("letter by letter"), and accents always differ. This
 * is Unicode's simple case folding, the same that a regular expression uses.
 */
export function caseVariants(character: string): string[] {
  letterGroups ??= groupLetters()
  const group = letterGroups.get(character)
  if (!group) return [character]
  const same = new RegExp(`^${character}$`, 'iu')
  return [...group].filter((form) => same.test(form))
}

let letterGroups: Map<string, Set<string>> | undefined

/**
 * Letters that upper or lower case leads from one to the other, in one group. A capital may be several
 * characters: it still brings those together that share it, as `ﬅ` and `ﬆ` do.
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
