import string from '@adonisjs/core/helpers/string'

/* Maximum length of a title attribute, because longer texts would inflate the page. */
const LONGEST_TITLE = 1000

/* Direction marks and control characters */
const UNSEEN = /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu

/**
 * A text on one line, for display.
 */
export interface PlainText {
  text: string
  /** The whole text, if `text` is shortened */
  title?: string
}

/** Shortens a text to a number of characters, without splitting a character. */
export function shorten(text: string, longest: number): string {
  /* A character has at most two UTF-16 units, so the rest of a long text is not needed. */
  const characters = [...text.slice(0, 2 * longest + 2)]
  return characters.length > longest ? `${characters.slice(0, longest - 1).join('')}…` : text
}

/**
 * Formats text from anonymous users, such as the name of a failed login: invisible characters are shown by their code
 * points, so that they cannot hide or reorder other text.
 */
export function plainText(text: string, longest: number = 80): PlainText {
  const visible = text.slice(0, LONGEST_TITLE).replace(UNSEEN, byNumber)
  const shown = shorten(visible, longest)
  return shown === visible ? { text: shown } : { text: shown, title: visible }
}

/*
 * Characters as in `UNSEEN`, and characters without width, such as U+200B. Excluded are tabs and line breaks, and
 * joiners, which are parts of emoji and letters.
 */
const INVISIBLE =
  /(?![\t\n\r])[\p{Cc}\xad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/u

const ALL_INVISIBLE = new RegExp(INVISIBLE, 'gu')

/**
 * Formats a value of a record: invisible characters, and characters that change the text direction, are shown by their
 * code points.
 */
export function visibleText(text: string): string {
  return INVISIBLE.test(text) ? text.replace(ALL_INVISIBLE, byNumber) : text
}

/* Hebrew, Arabic and similar scripts, including those beyond the first 65,536 characters */
const FROM_THE_RIGHT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefe]|[\ud802\ud803\ud83a\ud83b]/

/** Returns true if a text has characters of a right-to-left script. */
export function isFromTheRight(text: string): boolean {
  return FROM_THE_RIGHT.test(text)
}

/* Direction marks that JSON does not escape, and line separators */
const UNESCAPED = /[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

/**
 * Formats text from anonymous users for the log: replaces the characters that can steer a terminal or reorder text, and
 * that the log's JSON does not escape.
 */
export function loggable(text: string): string {
  return text.replace(UNESCAPED, byNumber)
}

function byNumber(character: string): string {
  const number = character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')
  return `⟨U+${number}⟩`
}

/**
 * A part of a sentence: fixed words, or a text that must not change the direction of the rest.
 */
export interface SentencePart {
  text: string
  isolated: boolean
}

/**
 * Marks a text in a sentence as directionally isolated.
 */
export function isolated(text: string): string {
  return `\u2068${text}\u2069`
}

/**
 * Splits a sentence at its isolated texts.
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

/**
 * Returns a label for the middle of a sentence: `Order line` -> `order line`; `SKU` is unchanged.
 */
export function inSentence(label: string): string {
  return /^\p{Lu}(?!\p{Lu})/u.test(label) ? label[0].toLowerCase() + label.slice(1) : label
}

const PLAIN = ['string', 'number', 'boolean']

/**
 * Returns the items of a list as texts, or null for any other value and for a list with items other than texts, numbers
 * and booleans.
 */
export function plainItems(value: unknown): string[] | null {
  if (!Array.isArray(value)) return null
  return value.every((one) => PLAIN.includes(typeof one)) ? value.map(String) : null
}

const SPECIAL = /[&<>"'`]/
const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#x27;',
  '`': '&#x60;',
}

/** Escapes a text for an element or a quoted attribute, like templates do. */
export function escaped(value: unknown): string {
  const text = String(value)
  return SPECIAL.test(text) ? text.replace(/[&<>"'`]/g, (sign) => ENTITIES[sign]) : text
}

/**
 * Returns true if a text has no visible character, so that a link with this text could not be clicked.
 */
export function isInvisible(text: string): boolean {
  return /^[\s\p{C}\p{Z}]*$/u.test(text)
}

/**
 * Returns the label for an API name: `release_date` -> `Release date`, `id` -> `ID`, `distributor_id` ->
 * `Distributor`.
 */
export function wordsOf(apiName: string): string {
  if (apiName === 'id') return 'ID'
  return string.sentenceCase(apiName.replace(/_id$/, '')) || apiName
}
