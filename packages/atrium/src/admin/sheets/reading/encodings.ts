import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import chardet from 'chardet'

/**
 * Encodings that a file can have, as a person chooses them; Unicode first.
 */
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

/** Encodings whose invalid bytes are detected */
export const UNICODE: ReadonlySet<string> = new Set(['utf-8', 'utf-16le', 'utf-16be'])

export function isEncoding(name: unknown): name is Encoding {
  return ENCODINGS.includes(name as Encoding)
}

const HEAD = 256 * 1024

/*
 * The part of zeros in UTF-16: English has a half of them and is UTF-8, too, which may have some; of other languages
 * line ends and delimiters have them, and it is not UTF-8.
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
  /** True if the file could have another one as well */
  isGuess: boolean
}

/**
 * Finds the encoding of a text file. A file without a byte order mark is read to its end, so that one in UTF-8 is
 * never taken for another, however late its first letter beyond ASCII comes. [D3]
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
 * UTF-16 without a mark: letters, delimiters and line ends of ASCII have a zero each, nearly all on the same side.
 *
 * @param least  part of the bytes that must be zeros
 */
function wideEncoding(head: Buffer, least: number): Encoding | null {
  const zeros = [0, 0]
  for (const [index, byte] of head.entries()) if (byte === 0) zeros[index % 2]++
  const [even, odd] = zeros
  if (even + odd < head.length * least) return null
  if (odd > even * 4) return 'utf-16le'
  return even > odd * 4 ? 'utf-16be' : null
}

/** The position, within one chunk, at which a file is not UTF-8; null if it is, or was cut within a letter. */
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

/** A file in UTF-8 may have a few broken letters; in one of another encoding nearly all are. */
function isMostlyUtf8(bytes: Buffer): boolean {
  const text = bytes.toString('utf-8')
  const letters = text.match(/[^\0-\x7F]/gu)?.length ?? 0
  const broken = text.match(/\uFFFD/g)?.length ?? 0
  return letters - broken > broken
}

/* The encodings that browsers take instead of these; the others have a name of their own. */
const SAME: Readonly<Record<string, Encoding>> = {
  'iso-8859-1': 'windows-1252',
  'iso-8859-5': 'windows-1251',
  'iso-8859-6': 'windows-1256',
  'iso-8859-7': 'windows-1253',
  'iso-8859-8': 'windows-1255',
  'iso-8859-9': 'windows-1254',
}

/** Windows-1252, unless another one is clearly more likely. */
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
