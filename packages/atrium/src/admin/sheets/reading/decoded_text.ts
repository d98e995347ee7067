import { createReadStream } from 'node:fs'
import iconv from 'iconv-lite'
import { FileError, ReadingLimit } from '../../jobs/job_errors.js'
import { UNICODE } from './encodings.js'

/** Counts the lines of a text that is read in pieces. CRLF, LF and CR end a line. */
export class LineCounter {
  #ends = 0
  #isAfterReturn = false
  /** Number of characters since the last line end */
  #column = 0

  add(text: string): void {
    if (text === '') return
    const { line, column } = this.positionAfter(text)
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

  /** Returns the line and column that follow a text, if the text is the continuation of the pieces added so far. */
  positionAfter(text: string): { line: number; column: number } {
    const isRest = this.#isAfterReturn && text.startsWith('\n')
    const ends = lineEnds(text) - (isRest ? 1 : 0)
    const last = Math.max(text.lastIndexOf('\n'), text.lastIndexOf('\r'))
    const column = last === -1 ? this.#column + text.length : text.length - last - 1
    return { line: this.#ends + ends + 1, column: column + 1 }
  }
}

/** Returns the number of line ends in a text. */
export function lineEnds(text: string): number {
  if (!text.includes('\n') && !text.includes('\r')) return 0
  return text.match(/\r\n|\n|\r/g)!.length
}

const CHUNK = 64 * 1024

/**
 * Yields the text of a file in pieces, without a byte order mark.
 *
 * @param most  maximum number of bytes; the text of a longer file ends with an error
 * @throws ReadingLimit
 * @throws FileError  at the first bytes that are invalid in a Unicode encoding, and for a file that ends within a
 *   character
 */
export async function* decodedText(
  path: string,
  encoding: string,
  most = Infinity
): AsyncGenerator<string> {
  const chunks = upTo(most, createReadStream(path, { highWaterMark: CHUNK }))
  yield* UNICODE.has(encoding) ? strictText(chunks, encoding) : iconvText(chunks, encoding)
}

/** @throws ReadingLimit  after the maximum number of bytes */
export async function* upTo(most: number, chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let bytes = 0
  for await (const chunk of chunks) {
    if (bytes >= most) throw new ReadingLimit('sheets.errors.longRecord', {}, 1)
    bytes += chunk.length
    yield chunk
  }
}

async function* strictText(
  chunks: AsyncIterable<Buffer>,
  encoding: string
): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding, { fatal: true })
  const lines = new LineCounter()
  for await (const chunk of chunks) {
    const decoded = decodeOrValidStart(decoder, chunk, encoding)
    if (typeof decoded === 'object') {
      lines.add(decoded.valid)
      throw new FileError('sheets.errors.letters', { encoding, column: lines.column }, lines.line)
    }
    lines.add(decoded)
    yield decoded
  }
  let rest: string
  try {
    rest = decoder.decode()
  } catch {
    throw new FileError('sheets.errors.cut', {}, lines.line)
  }
  yield rest
}

/** Returns the text of a chunk, or an object with the valid text before bytes that cannot be decoded. */
function decodeOrValidStart(
  decoder: InstanceType<typeof TextDecoder>,
  chunk: Buffer,
  encoding: string
): string | { valid: string } {
  try {
    return decoder.decode(chunk, { stream: true })
  } catch {
    /* A character may have begun in the previous chunk, which does not affect the line number. */
    const text = new TextDecoder(encoding).decode(chunk)
    const broken = text.indexOf('\uFFFD', 4)
    return { valid: broken === -1 ? '' : text.slice(0, broken) }
  }
}

async function* iconvText(chunks: AsyncIterable<Buffer>, encoding: string): AsyncGenerator<string> {
  const decoder = iconv.getDecoder(encoding)
  for await (const chunk of chunks) yield decoder.write(chunk)
  yield decoder.end() ?? ''
}
