/**
 * Counts the lines of a text that comes in pieces; CRLF, LF and CR end one.
 */
export class LineCounter {
  #ends = 0
  #isAfterReturn = false

  add(text: string): void {
    if (text === '') return
    const isRest = this.#isAfterReturn && text.startsWith('\n')
    this.#ends += lineEnds(text) - (isRest ? 1 : 0)
    this.#isAfterReturn = text.endsWith('\r')
  }

  /** Number of the line that the next piece begins in, counted from 1 */
  get line(): number {
    return this.#ends + 1
  }
}

/** The number of line ends in a text. */
export function lineEnds(text: string): number {
  if (!text.includes('\n') && !text.includes('\r')) return 0
  return text.match(/\r\n|\n|\r/g)!.length
}
