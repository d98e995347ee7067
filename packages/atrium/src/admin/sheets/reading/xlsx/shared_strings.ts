import { FileFault } from '../../../errors.js'
import { LONGEST_TEXT, MOST_SHARED } from './xlsx_limits.js'
import { readXml } from './xml_events.js'

const CODE = /_x([\dA-F]{4})_/gi

/** A text of a sheet without the codes of letters that XML can't hold, as in `_x000D_`. */
export function plainText(text: string): string {
  return text.includes('_x')
    ? text.replace(CODE, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    : text
}

/** A copy: a part of a long text would keep all of it in memory. */
function ownCopy(text: string): string {
  return text.length > 12 ? Buffer.from(text, 'utf16le').toString('utf16le') : text
}

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

/** Bytes of a text in memory in addition to its characters */
const OVERHEAD = 40

/**
 * The texts that cells refer to by number.
 *
 * @throws FileFault  if they would take too much memory
 */
export async function sharedStrings(chunks: AsyncIterable<Buffer>): Promise<string[]> {
  const texts: string[] = []
  const runs = new TextRuns()
  let size = 0
  await readXml(chunks, {
    open: (name) => runs.open(name),
    text: (text) => runs.text(text),
    close(name) {
      runs.close(name)
      if (name !== 'si') return
      const text = ownCopy(runs.take())
      size += text.length * 2 + OVERHEAD
      if (size > MOST_SHARED) throw new FileFault('sheets.fault.bomb')
      texts.push(text)
    },
  })
  return texts
}
