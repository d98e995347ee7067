import { FileFault } from '../../errors.js'
import { LineCounter } from './line_counter.js'

/** A noncharacter in the place of a quotation mark that begins no quoted cell */
const LITERAL = '\uFDD0'

const LITERALS = new RegExp(LITERAL, 'g')

interface Place {
  line: number
  column: number
}

/**
 * Goes over the quotation marks of a CSV file that comes in pieces: those within unquoted cells become literal, and a
 * quoted cell that does not end at a delimiter or a line end is an error with its place.
 */
export class QuoteScanner {
  /** True once a quotation mark was made literal */
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
   * @returns the piece with literal quotation marks replaced
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
          kept.push(piece.slice(from, at), LITERAL)
          from = at + 1
        }
        at = piece.indexOf('"', at + 1)
      }
    }
    this.#before.add(piece)
    this.#last = piece.at(-1)!
    if (kept.length === 0) return piece
    this.hasLiterals = true
    return kept.join('') + piece.slice(from)
  }

  /** @throws FileFault  if a quoted cell has no end */
  end(): void {
    if (!this.#isQuoted || this.#isAfterQuote) return
    const { line, column } = this.#opened
    throw new FileFault('sheets.fault.openQuote', { column }, line)
  }

  /** The text of a cell with its literal quotation marks. */
  restore(text: string): string {
    return this.hasLiterals ? text.replaceAll(LITERALS, '"') : text
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
