/**
 * Counts the lines of a text that comes in pieces; CRLF, LF and CR end one.
 */
export class LineCounter {
  #ends = 0
  #isAfterReturn = false
  /** Characters since the last line end */
  #column = 0

  add(text: string): void {
    if (text === '') return
    const { line, column } = this.placeAfter(text)
    this.#ends = line - 1
    this.#column = column - 1
    this.#isAfterReturn = text.endsWith('\r')
  }

  /** Number of the line that the next piece begins in, counted from 1 */
  get line(): number {
    return this.#ends + 1
  }

  /** Position in the line at which the next piece begins, counted from 1 */
  get column(): number {
    return this.#column + 1
  }

  /** Line and column behind a text, as if it was the next piece. */
  placeAfter(text: string): { line: number; column: number } {
    const isRest = this.#isAfterReturn && text.startsWith('\n')
    const ends = lineEnds(text) - (isRest ? 1 : 0)
    const last = Math.max(text.lastIndexOf('\n'), text.lastIndexOf('\r'))
    const column = last === -1 ? this.#column + text.length : text.length - last - 1
    return { line: this.#ends + ends + 1, column: column + 1 }
  }
}

/** The number of line ends in a text. */
export function lineEnds(text: string): number {
  if (!text.includes('\n') && !text.includes('\r')) return 0
  return text.match(/\r\n|\n|\r/g)!.length
}
