import { open } from 'node:fs/promises'
import { crc32 } from 'node:zlib'
import { type Entry, openPromise, type ZipFile } from 'yauzl'
import { FileError } from '../../../jobs/job_errors.js'

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
