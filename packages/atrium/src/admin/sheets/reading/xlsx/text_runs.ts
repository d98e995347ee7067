import { FileFault } from '../../../errors.js'
import { LONGEST_TEXT } from './xlsx_limits.js'
import { plainText } from './xlsx_text.js'

/**
 * Puts the text of a cell together of its runs: each `t`, but not those of its pronunciation (`rPh`).
 */
export class TextRuns {
  #isOpen = false
  #isPhonetic = false
  #pieces: string[] = []
  #length = 0

  open(name: string): void {
    if (name === 'rPh') this.#isPhonetic = true
    if (name === 't') this.#isOpen = !this.#isPhonetic
  }

  text(text: string): void {
    if (!this.#isOpen) return
    this.#length += text.length
    if (this.#length > LONGEST_TEXT) throw new FileFault('sheets.fault.bomb')
    this.#pieces.push(text)
  }

  close(name: string): void {
    if (name === 'rPh') this.#isPhonetic = false
    if (name === 't') this.#isOpen = false
  }

  /** The text since the last call */
  take(): string {
    const text = plainText(this.#pieces.join(''))
    this.#pieces = []
    this.#length = 0
    return text
  }
}
