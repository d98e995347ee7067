import { FileFault } from '../../errors.js'
import { LineCounter } from './line_counter.js'

/** A noncharacter in the place of a quotation mark that begins no quoted cell */
const LITERAL = '\uFDD0'

/** In the place of noncharacters of the file */
const ESCAPES = new Map([
  [LITERAL, '\uFDD1a'],
  ['\uFDD1', '\uFDD1b'],
])

const REPLACED = new Map([
  [LITERAL, '"'],
  ...[...ESCAPES].map(([character, escape]): [string, string] => [escape, character]),
])

interface Place {
  line: number
  column: number
}

/**
 * Goes over the quotation marks of a CSV file that comes in pieces: those within unquoted cells become literal, and a
 * quoted cell that does not end at a delimiter or a line end is an error with its place.
 */
export class QuoteScanner {
  /** True once a character was replaced */
  hasLiterals = false
  readonly #delimiter: string
  readonly #before = new LineCounter()
  /** The last character before the piece; empty at the start of the file, which is the start of a cell */
  #last = ''
  #isQuoted = false
  /** True if the last character may be the end of a quoted cell, or the first of two */
  #isAfterQuote = false
  /** Where the quoted cell begins */
  #opened: Place = { line: 1, column: 1 }

  constructor(delimiter: string) {
    this.#delimiter = delimiter
  }

  /**
   * @returns the piece with literal quotation marks replaced, and noncharacters that stand for them escaped
   * @throws FileFault
   */
  scan(piece: string): string {
    if (piece === '') return piece
    const kept: string[] = []
    let from = 0
    let at = this.#isAfterQuote ? this.#endQuote(piece, 0) : piece.indexOf('"')
    while (at !== -1) {
      if (this.#isQuoted) at = this.#endQuote(piece, at + 1)
      else {
        if (this.#beginsCell(piece, at)) this.#open(piece, at)
        else {
          kept.push(this.#escaped(piece.slice(from, at)), LITERAL)
          from = at + 1
        }
        at = piece.indexOf('"', at + 1)
      }
    }
    this.#before.add(piece)
    this.#last = piece.at(-1)!
    const rest = this.#escaped(piece.slice(from))
    if (kept.length === 0) return rest
    this.hasLiterals = true
    return kept.join('') + rest
  }

  /** @throws FileFault  if a quoted cell has no end */
  end(): void {
    if (!this.#isQuoted || this.#isAfterQuote) return
    const { line, column } = this.#opened
    throw new FileFault('sheets.fault.openQuote', { column }, line)
  }

  /** The text of a cell with its literal quotation marks. */
  restore(text: string): string {
    if (!this.hasLiterals) return text
    return text.replaceAll(/\uFDD0|\uFDD1[ab]/g, (found) => REPLACED.get(found)!)
  }

  #escaped(text: string): string {
    if (!/[\uFDD0\uFDD1]/.test(text)) return text
    this.hasLiterals = true
    return text.replaceAll(/[\uFDD0\uFDD1]/g, (found) => ESCAPES.get(found)!)
  }

  #beginsCell(piece: string, at: number): boolean {
    const before = at === 0 ? this.#last : piece[at - 1]
    return before === '' || before === this.#delimiter || isLineEnd(before)
  }

  #open(piece: string, at: number): void {
    this.#isQuoted = true
    this.#opened = this.#before.placeAfter(piece.slice(0, at))
  }

  /**
   * Goes on behind a quotation mark within a quoted cell.
   *
   * @param next  position behind it
   * @returns the position of the next quotation mark, -1 for none
   */
  #endQuote(piece: string, next: number): number {
    this.#isAfterQuote = next >= piece.length
    if (this.#isAfterQuote) return -1
    const character = piece[next]
    if (character === '"') return piece.indexOf('"', next + 1)
    if (character !== this.#delimiter && !isLineEnd(character)) {
      const { line, column } = this.#before.placeAfter(piece.slice(0, next))
      throw new FileFault('sheets.fault.strayQuote', { column }, line)
    }
    this.#isQuoted = false
    return piece.indexOf('"', next)
  }
}

function isLineEnd(character: string): boolean {
  return character === '\n' || character === '\r'
}
