/* A page of texts of a megabyte each would be no page, and a title shows no more. */
const LONGEST_TITLE = 1000

/* Marks that turn the direction of what comes after them, and control characters */
const UNSEEN = /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu

/**
 * A text in one line, as it is shown.
 */
export interface PlainText {
  text: string
  /** The whole of it, if it had to be cut */
  title?: string
}

/**
 * Cuts a text after so many characters, never in the middle of one.
 */
export function shorten(text: string, longest: number): string {
  /* No character has more than two units, so no more of a long text need be taken apart. */
  const characters = [...text.slice(0, 2 * longest + 2)]
  return characters.length > longest ? `${characters.slice(0, longest - 1).join('')}…` : text
}

/**
 * A name that anybody may have typed, such as that of a failed login: what of it can't be seen is
 * shown by its number, so that it neither hides nor turns what stands around it.
 */
export function plainText(text: string, longest: number = 80): PlainText {
  const visible = text.slice(0, LONGEST_TITLE).replace(UNSEEN, byNumber)
  const shown = shorten(visible, longest)
  return shown === visible ? { text: shown } : { text: shown, title: visible }
}

/* What JSON leaves as it is of such marks, and what some take for the end of a line */
const UNESCAPED = /[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

/**
 * A name as the log may have it, which is JSON: a terminal finds nothing in it to obey.
 */
export function loggable(text: string): string {
  return text.replace(UNESCAPED, byNumber)
}

function byNumber(character: string): string {
  const number = character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')
  return `⟨U+${number}⟩`
}

/**
 * A piece of a sentence: words of ours, or a text that must not change the direction of the rest.
 */
export interface SentencePart {
  text: string
  isolated: boolean
}

/**
 * Marks a text within a sentence as one that keeps its direction to itself.
 */
export function isolated(text: string): string {
  return `\u2068${text}\u2069`
}

/**
 * Takes a sentence with isolated texts in it apart.
 */
export function partsOf(sentence: string): SentencePart[] {
  return sentence
    .split(/(\u2068[^\u2069]*\u2069)/)
    .filter((part) => part !== '')
    .map((part) => {
      const isIsolated = part.startsWith('\u2068')
      return { text: isIsolated ? part.slice(1, -1) : part, isolated: isIsolated }
    })
}
