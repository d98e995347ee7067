import { open } from 'node:fs/promises'
import { crc32 } from 'node:zlib'
import { type Entry, openPromise, type ZipFile } from 'yauzl'
import { FileError } from '../../../jobs/job_errors.js'
import { Parser } from 'htmlparser2'

/* Limits for unpacking a file of 100 MB, so that a small file cannot use up the memory or time of the server. */

const MOST_ENTRIES = 10_000

/** Maximum bytes of all parts together */
const MOST_UNPACKED = 2 * 1024 * 1024 * 1024

/** Maximum bytes of each part that is read into memory: styles, relations, the workbook */
export const STORED_MAX = 16 * 1024 * 1024

/** Maximum memory of the table of shared strings, in bytes */
export const MOST_SHARED = 128 * 1024 * 1024

/**
 * Maximum bytes of the table of shared strings in the file, which is read before the first row; takes about three
 * seconds
 */
export const MOST_SHARED_XML = 256 * 1024 * 1024

/** Maximum compression ratio of a part; sheets with the same text in every cell reach 150 */
const MOST_RATIO = 400

/** Bytes below which a part can have any ratio */
const SMALL = 8 * 1024 * 1024

/** Maximum number of characters in a cell */
export const LONGEST_TEXT = 4 * 1024 * 1024

/** Maximum number of characters in all cells of a row */
export const LONGEST_ROW = 64 * 1024 * 1024

/**
 * Maximum number of sheets of a workbook, and maximum length of a sheet name, for which spreadsheets allow 31
 * characters
 */
export const MOST_SHEETS = 1000

export const LONGEST_SHEET = 255

/* First bytes of files of Excel before 2007, and of password-protected files */
const OLE = Buffer.from('d0cf11e0a1b11ae1', 'hex')

/** The parts of an XLSX file, which is a ZIP file. Parts are unpacked while they are read. */
export class ZipParts {
  readonly #zip: ZipFile
  readonly #entries: ReadonlyMap<string, Entry>

  private constructor(zip: ZipFile, entries: ReadonlyMap<string, Entry>) {
    this.#zip = zip
    this.#entries = entries
  }

  /**
   * @throws FileError  if the file is not a ZIP file, is incomplete, or would unpack to more than the limits
   */
  static async open(path: string): Promise<ZipParts> {
    let zip: ZipFile
    try {
      zip = await openPromise(path, { lazyEntries: true, autoClose: false })
    } catch {
      throw new FileError((await isOle(path)) ? 'sheets.errors.oldSheet' : 'sheets.errors.zip')
    }
    try {
      return new ZipParts(zip, await entriesOf(zip))
    } catch (error) {
      zip.close()
      throw error
    }
  }

  has(name: string): boolean {
    return this.#entries.has(name)
  }

  /** Returns the unpacked size of a part in bytes; 0 if there is none. */
  sizeOf(name: string): number {
    return this.#entries.get(name)?.uncompressedSize ?? 0
  }

  /** @throws FileError  if the part is missing or damaged */
  async *read(name: string): AsyncGenerator<Buffer> {
    const entry = this.#entries.get(name)
    if (!entry) throw new FileError('sheets.errors.noSheet')
    let sum = 0
    try {
      /* yauzl returns at most as many bytes as the entry declares. */
      for await (const chunk of await this.#zip.openReadStreamPromise(entry)) {
        sum = crc32(chunk, sum)
        yield chunk
      }
    } catch {
      throw new FileError('sheets.errors.zip')
    }
    if (sum !== entry.crc32) throw new FileError('sheets.errors.zip')
  }

  close(): void {
    this.#zip.close()
  }
}

async function entriesOf(zip: ZipFile): Promise<Map<string, Entry>> {
  const entries = new Map<string, Entry>()
  if (zip.entryCount > MOST_ENTRIES) throw new FileError('sheets.errors.bomb')
  let unpacked = 0
  try {
    for await (const entry of zip.eachEntry()) {
      unpacked += entry.uncompressedSize
      if (unpacked > MOST_UNPACKED || isBomb(entry)) throw new FileError('sheets.errors.bomb')
      if (entry.isEncrypted()) throw new FileError('sheets.errors.oldSheet')
      entries.set(entry.fileName, entry)
    }
  } catch (error) {
    throw error instanceof FileError ? error : new FileError('sheets.errors.zip')
  }
  return entries
}

function isBomb({ compressedSize, uncompressedSize }: Entry): boolean {
  return uncompressedSize > SMALL && uncompressedSize > compressedSize * MOST_RATIO
}

async function isOle(path: string): Promise<boolean> {
  const file = await open(path)
  try {
    const { buffer } = await file.read({ buffer: Buffer.alloc(OLE.length), position: 0 })
    return buffer.equals(OLE)
  } finally {
    await file.close()
  }
}

/** Maximum number of characters of a tag */
const LONGEST_TAG = 4 * 1024 * 1024

/** Maximum nesting depth of elements; spreadsheets have about ten levels */
const DEEPEST_XML = 200

interface XmlHandlers {
  /** @param name  name without the prefix of the namespace */
  open(name: string, attributes: Readonly<Record<string, string>>): void
  text?(text: string): void
  close(name: string): void
}

/**
 * Parses XML in pieces. Entities of a document type definition are not supported, and such a document is rejected.
 *
 * @returns the handlers after each piece, when they were called for everything that the piece completes
 * @throws FileError  if it is not XML, or ends before the root element does
 */
export async function* xmlEvents<Handlers extends XmlHandlers>(
  chunks: AsyncIterable<Buffer>,
  handlers: Handlers
): AsyncGenerator<Handlers> {
  let depth = 0
  let quiet = 0
  let hasRoot = false
  let isJustOpen = false
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        quiet = 0
        depth++
        if (depth > DEEPEST_XML) throw new FileError('sheets.errors.deepXml')
        hasRoot = true
        isJustOpen = true
        handlers.open(localName(name), attributes)
      },
      ontext(text) {
        quiet = 0
        isJustOpen = false
        handlers.text?.(text)
      },
      onclosetag(name, isImplied) {
        quiet = 0
        /* Only a self-closing element can lack an end tag: `<a/>` is complete, `<a>text</b>` is not. */
        if (isImplied && !isJustOpen) throw new FileError('sheets.errors.xml')
        isJustOpen = false
        depth--
        handlers.close(localName(name))
      },
      onprocessinginstruction(name) {
        if (/^!doctype/i.test(name)) throw new FileError('sheets.errors.xml')
      },
    },
    { xmlMode: true }
  )
  const decoder = new TextDecoder('utf-8', { fatal: true })
  for await (const chunk of chunks) {
    const text = decoded(() => decoder.decode(chunk, { stream: true }))
    quiet += text.length
    if (quiet > LONGEST_TAG) throw new FileError('sheets.errors.bomb')
    parser.write(text)
    yield handlers
  }
  parser.write(decoded(() => decoder.decode()))
  if (depth !== 0 || !hasRoot) throw new FileError('sheets.errors.xml')
  parser.end()
  yield handlers
}

/**
 * Parses a part as a whole.
 *
 * @throws FileError
 */
export async function readXml(chunks: AsyncIterable<Buffer>, handlers: XmlHandlers): Promise<void> {
  const events = xmlEvents(chunks, handlers)
  let isDone = false
  while (!isDone) {
    const { done } = await events.next()
    isDone = done === true
  }
}

function decoded(decode: () => string): string {
  try {
    return decode()
  } catch {
    throw new FileError('sheets.errors.xml')
  }
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1)
}
