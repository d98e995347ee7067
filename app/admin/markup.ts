/**
 * A text as markup in which only Latin-1 stands, all else by its number: JavaScript keeps a page in half
 * of the memory then, and is done with it sooner. For the texts around the records, which are on every
 * page.
 */
export function asMarkup(text: string): string {
  return text.replace(/[&<>"'`]|[\u{100}-\u{10ffff}]/gu, (one) => `&#${one.codePointAt(0)};`)
}
