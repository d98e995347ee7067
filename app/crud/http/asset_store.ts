import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { extname } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { RuntimeError, ValueError } from '../errors.js'

const TYPES: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
}

/* Separator of two files of one kind, so that the end of one cannot merge with the start of the next. */
const SEPARATORS: Record<string, string> = { '.js': '\n;\n' }

/** An asset of a page in every encoding that it can be sent in. */
export interface Asset {
  body: Buffer
  gzip: Buffer
  brotli: Buffer
  type: string
}

/** A file that an asset is made of: its absolute path, and what is taken of its text. Default: all */
export type AssetPart = string | { path: string; take: (text: string) => string }

/**
 * The stylesheets, scripts and icons of some pages: read, joined, named by a hash of their content and
 * compressed once. A name is looked up in a map and never becomes a path, so no request reaches the file
 * system. [B1, Q1]
 */
export class AssetStore {
  readonly #urls = new Map<string, string>()
  readonly #assets = new Map<string, Asset>()

  private constructor() {}

  /**
   * @param files  each asset's name, as in `admin.css`, and its parts
   * @throws ValueError    for an unknown file extension or a duplicate name
   * @throws RuntimeError  when a file cannot be read
   */
  static async load(files: Array<{ name: string; paths: AssetPart[] }>): Promise<AssetStore> {
    const store = new AssetStore()
    const built = await Promise.all(files.map(({ name, paths }) => build(name, paths)))
    for (const [index, { name }] of files.entries()) {
      if (store.#urls.has(name)) throw new ValueError(`Two assets are called ${name}`)
      const url = hashedName(name, built[index].body)
      store.#urls.set(name, url)
      store.#assets.set(url, built[index])
    }
    return store
  }

  /**
   * The asset's name with the hash of its content: `admin.css` -> `admin.3f2a9c1b.css`.
   *
   * @throws RuntimeError  when there is no such asset
   */
  url(name: string): string {
    const url = this.#urls.get(name)
    if (url === undefined) throw new RuntimeError(`There is no asset called ${name}`)
    return url
  }

  /**
   * @param name  with its hash, as `url()` gives it
   */
  find(name: string): Asset | undefined {
    return this.#assets.get(name)
  }
}

async function build(name: string, paths: AssetPart[]): Promise<Asset> {
  const ending = extname(name)
  const type = TYPES[ending]
  if (!type) throw new ValueError(`${name} is no asset: it must end in ${listOfEndings()}`)

  const parts = await Promise.all(paths.map((path) => read(name, path)))
  return await compressed(Buffer.from(parts.join(SEPARATORS[ending] ?? '\n')), type)
}

/**
 * A text that is sent often, compressed once.
 */
export async function compressed(body: Buffer, type: string): Promise<Asset> {
  const [zipped, brotli] = await Promise.all([
    promisify(gzip)(body, { level: 9 }),
    promisify(brotliCompress)(body, {
      params: {
        /* The highest, 11, saves another 6 %, and makes every boot half a second longer. */
        [constants.BROTLI_PARAM_QUALITY]: 9,
        [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
        [constants.BROTLI_PARAM_SIZE_HINT]: body.length,
      },
    }),
  ])
  return { body, gzip: zipped, brotli, type }
}

async function read(name: string, part: AssetPart): Promise<string> {
  const { path, take } = typeof part === 'string' ? { path: part, take: undefined } : part
  try {
    const text = withoutComments(await readFile(path, 'utf8'))
    return take ? take(text) : text
  } catch (cause) {
    throw new RuntimeError(`${path}, of which ${name} consists, can't be read`, { cause })
  }
}

/**
 * Removes comments, a tenth of the size. Only comments on lines of their own, so that no part of a
 * string or a regular expression is taken for one; licences (`/*!`) stay.
 */
function withoutComments(text: string): string {
  return text.replace(/^[ \t]*\/\*(?!!)(?:(?!\*\/)[^])*\*\/[ \t]*\n/gm, '')
}

function hashedName(name: string, body: Buffer): string {
  const ending = extname(name)
  const hash = createHash('sha256').update(body).digest('hex').slice(0, 8)
  return `${name.slice(0, -ending.length)}.${hash}${ending}`
}

function listOfEndings(): string {
  return Object.keys(TYPES).join(', ')
}
