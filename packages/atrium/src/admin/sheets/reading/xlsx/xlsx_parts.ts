import { open } from 'node:fs/promises'
import { crc32 } from 'node:zlib'
import { type Entry, openPromise, type ZipFile } from 'yauzl'
import { FileError } from '../../../jobs/job_errors.js'

/*
 * Limits of what a file of 100 MB may become when it is unpacked, so that a small one can't take the memory or the time of the
 * server.
 */

const MOST_ENTRIES = 10_000

/** Bytes of all parts together */
const MOST_UNPACKED = 2 * 1024 * 1024 * 1024

/** Bytes of parts that are held in memory, each: styles, relations, the workbook */
export const STORED_MAX = 16 * 1024 * 1024

/** Bytes that the table of shared strings may take in memory */
export const MOST_SHARED = 128 * 1024 * 1024

/** Bytes of the table of shared strings in the file, which is read before the first row: about three seconds */
export const MOST_SHARED_XML = 256 * 1024 * 1024

/** How many times as large a part may become; sheets with the same text in every cell reach 150 */
const MOST_RATIO = 400

/** Bytes below which a part may have any ratio */
const SMALL = 8 * 1024 * 1024

/** Characters of one cell */
export const LONGEST_TEXT = 4 * 1024 * 1024

/** Characters of all cells of a row */
export const LONGEST_ROW = 64 * 1024 * 1024

/** Sheets of a workbook, and characters of the name of one: spreadsheets allow 31 */
export const MOST_SHEETS = 1000

export const LONGEST_SHEET = 255

/* The start of files of Excel before 2007, and of those with a password */
const OLE = Buffer.from('d0cf11e0a1b11ae1', 'hex')

/**
 * The parts of an XLSX file, which is a ZIP file. They are unpacked as they are read.
 */
export class ZipParts {
  readonly #zip: ZipFile
  readonly #entries: ReadonlyMap<string, Entry>

  private constructor(zip: ZipFile, entries: ReadonlyMap<string, Entry>) {
    this.#zip = zip
    this.#entries = entries
  }

  /**
   * @throws FileError  if it is none, was cut, or would unpack to more than is read
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

  /** Bytes of a part when it is unpacked; 0 if there is none */
  sizeOf(name: string): number {
    return this.#entries.get(name)?.uncompressedSize ?? 0
  }

  /**
   * @throws FileError  if the part is not there or damaged
   */
  async *read(name: string): AsyncGenerator<Buffer> {
    const entry = this.#entries.get(name)
    if (!entry) throw new FileError('sheets.errors.noSheet')
    let sum = 0
    try {
      /* yauzl gives no more bytes than the entry says. */
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
