import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import chardet from 'chardet'

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
export const UNICODE: ReadonlySet<string> = new Set(['utf-8', 'utf-16le', 'utf-16be'])

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

export interface FoundEncoding {
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
