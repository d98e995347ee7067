const SPECIAL = /[&<>"'`]/
const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#x27;',
  '`': '&#x60;',
}

/**
 * A text as markup, in an element or in an attribute's quotes, as templates write it.
 */
export function escaped(value: unknown): string {
  const text = String(value)
  return SPECIAL.test(text) ? text.replace(/[&<>"'`]/g, (sign) => ENTITIES[sign]) : text
}

/**
 * A text as markup in which only Latin-1 stands, all else by its number: JavaScript keeps a page in half
 * of the memory then, and is done with it sooner. For the texts around the records, which are on every
 * page.
 */
export function asMarkup(text: string): string {
  return text.replace(/[&<>"'`]|[\u{100}-\u{10ffff}]/gu, (one) => `&#${one.codePointAt(0)};`)
}
