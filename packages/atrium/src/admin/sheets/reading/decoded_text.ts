import { createReadStream } from 'node:fs'
import iconv from 'iconv-lite'
import { FileError, ReadingLimit } from '../../jobs/job_errors.js'
import { open } from 'node:fs/promises'
import chardet from 'chardet'

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

/** Encodings that users can select, Unicode first. */
export const ENCODINGS = [
  'utf-8',
  'utf-16le',
  'utf-16be',
  'windows-1252',
  'windows-1250',
  'windows-1251',
  'windows-1253',
  'windows-1254',
  'windows-1255',
  'windows-1256',
  'iso-8859-2',
  'koi8-r',
  'shift_jis',
  'euc-jp',
  'euc-kr',
  'gb18030',
  'big5',
] as const

type Encoding = (typeof ENCODINGS)[number]

/** Encodings in which invalid bytes are detected */
const UNICODE: ReadonlySet<string> = new Set(['utf-8', 'utf-16le', 'utf-16be'])

export function isEncoding(name: unknown): name is Encoding {
  return ENCODINGS.includes(name as Encoding)
}

const HEAD = 256 * 1024

/*
 * Fractions of zero bytes that indicate UTF-16. English text in UTF-16 has about one half, and is also valid UTF-8, in
 * which a few zeros are possible. In other languages only line ends and delimiters have zeros, and the text is not
 * valid UTF-8.
 */
const ZEROS_IN_LATIN = 0.3
const ZEROS_IN_OTHERS = 0.01

const MARKS: ReadonlyArray<[Encoding, Buffer]> = [
  ['utf-8', Buffer.from([0xef, 0xbb, 0xbf])],
  ['utf-16le', Buffer.from([0xff, 0xfe])],
  ['utf-16be', Buffer.from([0xfe, 0xff])],
]

interface FoundEncoding {
  encoding: Encoding
  /** True if other encodings are possible as well */
  isGuess: boolean
}

/**
 * Detects the encoding of a text file. A file without a byte order mark is read to the end, so that UTF-8 is always
 * recognized, even if the first non-ASCII character is at the end.
 */
export async function findEncoding(path: string): Promise<FoundEncoding> {
  const head = await bytesAt(path, 0)
  const marked = MARKS.find(([, mark]) => head.subarray(0, mark.length).equals(mark))
  if (marked) return { encoding: marked[0], isGuess: false }
  const first = await firstInvalid(path)
  const wide = wideEncoding(head, first === null ? ZEROS_IN_LATIN : ZEROS_IN_OTHERS)
  if (wide) return { encoding: wide, isGuess: true }
  if (first === null) return { encoding: 'utf-8', isGuess: false }
  const around = await bytesAt(path, Math.max(0, first - HEAD / 2))
  if (isMostlyUtf8(around)) return { encoding: 'utf-8', isGuess: false }
  return { encoding: likely(around), isGuess: true }
}

async function bytesAt(path: string, position: number): Promise<Buffer> {
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(HEAD), position })
    return buffer.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}

/**
 * Detects UTF-16 without a byte order mark: each ASCII letter, delimiter and line end has a zero byte, nearly all at
 * even or nearly all at odd positions.
 *
 * @param least  minimum fraction of zero bytes
 */
function wideEncoding(head: Buffer, least: number): Encoding | null {
  const zeros = [0, 0]
  for (const [index, byte] of head.entries()) if (byte === 0) zeros[index % 2]++
  const [even, odd] = zeros
  if (even + odd < head.length * least) return null
  if (odd > even * 4) return 'utf-16le'
  return even > odd * 4 ? 'utf-16be' : null
}

/**
 * Returns the position of the first invalid UTF-8, accurate to one chunk; null if the file is valid, even if it ends
 * within a character.
 */
async function firstInvalid(path: string): Promise<number | null> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let position = 0
  for await (const chunk of createReadStream(path, { highWaterMark: HEAD })) {
    try {
      decoder.decode(chunk, { stream: true })
    } catch {
      return position + (chunk as Buffer).findIndex((byte) => byte > 0x7f)
    }
    position += chunk.length
  }
  return null
}

/**
 * Returns whether most characters are valid UTF-8. A UTF-8 file can have a few invalid characters; in a file of another
 * encoding nearly all are invalid.
 */
function isMostlyUtf8(bytes: Buffer): boolean {
  const text = bytes.toString('utf-8')
  const letters = text.match(/[^\0-\x7F]/gu)?.length ?? 0
  const broken = text.match(/\uFFFD/g)?.length ?? 0
  return letters - broken > broken
}

/* Encoding that browsers use, by the name that the detection returns, if both names differ */
const SAME: Readonly<Record<string, Encoding>> = {
  'iso-8859-1': 'windows-1252',
  'iso-8859-5': 'windows-1251',
  'iso-8859-6': 'windows-1256',
  'iso-8859-7': 'windows-1253',
  'iso-8859-8': 'windows-1255',
  'iso-8859-9': 'windows-1254',
}

/** Returns Windows-1252, unless another encoding is clearly more likely. */
function likely(bytes: Buffer): Encoding {
  const matches = chardet.analyse(bytes).map(({ name, confidence }) => {
    const lower = name.toLowerCase()
    return { encoding: SAME[lower] ?? lower, confidence }
  })
  const western = matches.find(({ encoding }) => encoding === 'windows-1252')?.confidence ?? 0
  const [best] = matches
  const isClear = best !== undefined && best.confidence >= 30 && best.confidence > western + 10
  return isClear && isEncoding(best.encoding) ? best.encoding : 'windows-1252'
}
