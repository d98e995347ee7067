import { readFile } from 'node:fs/promises'
import { extname } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { RuntimeError, ValueError } from '../errors.js'
import { digest, keyedDigest } from '#base/values/digest'
import type { HttpContext, HttpRequest } from '@adonisjs/core/http'

const TYPES: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
}

/* Files that are already compressed and contain no text to join or change. */
const BINARY = new Set(['.woff2'])

/* A reference to another asset in a stylesheet: `url('asset:inter.woff2')`. */
const REFERENCE = /asset:([\w.-]+)/g

/* Separator between two files of the same kind, so that the end of one cannot merge with the start of the next. */
const SEPARATORS: Record<string, string> = { '.js': '\n;\n' }

/* Separator of the assets in the name of a bundle */
const AND = '+'

/* The highest quality, 11, would save another 2 %, but take twice as long at every boot. */
const QUALITY = 10

/*
 * Texts with more bytes, such as the script of the API page, would take seconds; with the lower quality they are a
 * tenth larger.
 */
const LARGE = 256 * 1024
const QUICK_QUALITY = 5

/** An asset of a page in every encoding in which it can be sent; null for an encoding that does not make it smaller. */
interface Asset {
  body: Buffer
  gzip: Buffer | null
  brotli: Buffer | null
  type: string
}

/** An asset as it was read, without compression */
interface PlainAsset {
  body: Buffer
  isText: boolean
  type: string
}

/** A text in every encoding */
export interface CompressedText extends Asset {
  gzip: Buffer
  brotli: Buffer
}

/**
 * The stylesheets, scripts, icons and fonts of some pages. They are read, joined, and named with a hash of their
 * content. They are compressed only when they are first sent, because that takes longer than the rest of the startup.
 * Names are looked up in a map and never used as paths, so no request can access the file system.
 */
export class AssetStore {
  readonly #urls = new Map<string, string>()
  readonly #assets = new Map<string, () => Promise<Asset>>()
  readonly #plain = new Map<string, PlainAsset>()

  private constructor() {}

  /**
   * Reads the assets.
   *
   * @param files  name of each asset, such as `admin.css`, and the absolute paths of its parts. A stylesheet refers to
   *   a binary asset with `url('asset:NAME')`
   * @throws ValueError    for an unknown file extension or a duplicate name
   * @throws RuntimeError  when a file cannot be read, or refers to an asset that does not exist
   */
  static async load(files: Array<{ name: string; paths: string[] }>): Promise<AssetStore> {
    const store = new AssetStore()
    const [binary, texts] = [files.filter(isBinary), files.filter((file) => !isBinary(file))]
    for (const part of [binary, texts]) {
      const built = await Promise.all(
        part.map(({ name, paths }) => build(name, paths, (other) => store.url(other)))
      )
      for (const [index, { name }] of part.entries()) {
        if (store.#urls.has(name)) throw new ValueError(`Two assets are called ${name}`)
        store.#plain.set(name, built[index])
        store.#add(name, hashedName(name, digest(built[index].body)), built[index])
      }
    }
    return store
  }

  #add(name: string, url: string, { body, isText, type }: PlainAsset): void {
    this.#urls.set(name, url)
    let asset: Promise<Asset> | undefined
    const make = async () =>
      isText ? await compressed(body, type) : { body, gzip: null, brotli: null, type }
    this.#assets.set(url, () => (asset ??= make()))
  }

  /**
   * Returns the asset's name with the hash of its content: `admin.css` -> `admin.3f2a9c1b.css`.
   *
   * @throws RuntimeError  when there is no such asset
   */
  url(name: string): string {
    const url = this.#urls.get(name)
    if (url === undefined) throw new RuntimeError(`Unknown asset ${name}`)
    return url
  }

  /**
   * Joins several stylesheets or scripts into one asset, so that a page needs one request for them:
   * `forms+inlines.3f2a9c1b.css`. The hash has the application's key, so that each process can make the bundles that
   * others have named, and clients cannot request any others.
   *
   * @param names  assets of one type, in order
   * @returns the bundle's name with the hash; the asset itself if there is only one
   * @throws RuntimeError  when there is no such asset
   */
  bundle(names: readonly string[]): string {
    const ending = extname(names[0])
    const name = names.map((one) => one.slice(0, -ending.length)).join(AND) + ending
    if (!this.#urls.has(name)) {
      const { url, asset } = this.#join(name, names)
      this.#add(name, url, asset)
    }
    return this.url(name)
  }

  #join(name: string, names: readonly string[]): { url: string; asset: PlainAsset } {
    const parts = names.map((one) => {
      this.url(one)
      return this.#plain.get(one)!
    })
    const separator = Buffer.from(separatorOf(extname(name)))
    const body = Buffer.concat(
      parts.flatMap((part, index) => (index > 0 ? [separator, part.body] : [part.body]))
    )
    return {
      url: hashedName(name, keyedDigest(`${name} ${digest(body)}`)),
      asset: { ...parts[0], body },
    }
  }

  /**
   * Returns the asset with this name, or undefined.
   *
   * @param name  name with the hash, as `url()` or `bundle()` returns it
   */
  async find(name: string): Promise<Asset | undefined> {
    if (!this.#assets.has(name)) this.#findBundle(name)
    return await this.#assets.get(name)?.()
  }

  /** Makes a bundle that another process has named. */
  #findBundle(file: string): void {
    const [, stem, ending] = /^([^.]+)\.[\w-]+(\.\w+)$/.exec(file) ?? []
    const names = new Set(stem?.split(AND).map((one) => one + ending))
    if (names.size < 2 || ![...names].every((name) => this.#plain.has(name))) return
    const { url, asset } = this.#join(stem + ending, [...names])
    if (url === file) this.#add(stem + ending, url, asset)
  }

  /**
   * Compresses the assets that have not been requested yet, one after another.
   *
   * @param isStopping  returns true if the process is ending
   */
  async prepare(isStopping: () => boolean): Promise<void> {
    for (const make of this.#assets.values()) {
      if (isStopping()) return
      await make()
    }
  }
}

function isBinary({ name }: { name: string }): boolean {
  return BINARY.has(extname(name))
}

/**
 * Reads and joins the parts of an asset.
 *
 * @param urlOf  returns the relative URL of another asset: its name with a hash
 */
async function build(
  name: string,
  paths: string[],
  urlOf: (name: string) => string
): Promise<PlainAsset> {
  const ending = extname(name)
  const type = TYPES[ending]
  if (!type) throw new ValueError(`${name} is not an asset: it must end in ${listOfEndings()}`)

  const parts = await Promise.all(paths.map((path) => read(name, path)))
  if (isBinary({ name })) return { body: Buffer.concat(parts), isText: false, type }
  const isScript = ending === '.js'
  const texts = parts.map((part) => {
    const text = withoutComments(part.toString('utf8'))
    return isScript ? withoutIndentation(text) : text
  })
  const text = texts.join(separatorOf(ending))
  const body = Buffer.from(ending === '.css' ? styles(text, urlOf) : text)
  return { body, isText: true, type }
}

/** Removes spaces and line breaks that are not within a value, and the last semicolon of a rule. */
function styles(text: string, urlOf: (name: string) => string): string {
  const rules = text
    .replace(/^\s+/gm, '')
    .replace(/^([\w-]+): /gm, '$1:')
    .replace(/ \{$/gm, '{')
    .replace(/([{};,])\n/g, '$1')
    .replace(/;\}/g, '}')
  return rules.replace(REFERENCE, (_, name) => urlOf(name))
}

/**
 * Compresses a text that is sent often.
 */
export async function compressed(body: Buffer, type: string): Promise<CompressedText> {
  const [zipped, brotli] = await Promise.all([
    promisify(gzip)(body, { level: 9 }),
    promisify(brotliCompress)(body, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: body.length > LARGE ? QUICK_QUALITY : QUALITY,
        [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
        [constants.BROTLI_PARAM_SIZE_HINT]: body.length,
      },
    }),
  ])
  return { body, gzip: zipped, brotli, type }
}

async function read(name: string, path: string): Promise<Buffer> {
  try {
    return await readFile(path)
  } catch (cause) {
    throw new RuntimeError(`${path}, of which ${name} consists, can't be read`, { cause })
  }
}

/**
 * Removes comments, which are a tenth of the size. Only comments on separate lines are removed, so that no part of a
 * string or a regular expression is mistaken for a comment; licences (`/*!`) are not removed.
 */
function withoutComments(text: string): string {
  return text.replace(/^[ \t]*\/\*(?!!)(?:(?!\*\/)[^])*\*\/[ \t]*\n/gm, '')
}

/** Removes the indentation of a script. One with a template literal over several lines is unchanged. */
function withoutIndentation(text: string): string {
  const hasOpenLiteral = text.split('\n').some((line) => line.split('`').length % 2 === 0)
  return hasOpenLiteral ? text : text.replace(/^[ \t]+/gm, '')
}

function separatorOf(ending: string): string {
  return SEPARATORS[ending] ?? '\n'
}

function hashedName(name: string, hash: string): string {
  const ending = extname(name)
  return `${name.slice(0, -ending.length)}.${hash.slice(0, 8)}${ending}`
}

function listOfEndings(): string {
  return Object.keys(TYPES).join(', ')
}

/** Sends an asset whose name changes with its content, so browsers can cache it permanently. */
export function sendAsset({ request, response }: HttpContext, asset: Asset): void {
  response
    .header('content-type', asset.type)
    .header('cache-control', 'public, max-age=31536000, immutable')
    .header('vary', 'accept-encoding')
  const encoding = bestEncoding(request)
  if (encoding === 'br' && asset.brotli)
    response.header('content-encoding', 'br').send(asset.brotli)
  else if (encoding === 'gzip' && asset.gzip) {
    response.header('content-encoding', 'gzip').send(asset.gzip)
  } else response.send(asset.body)
}

export type Encoding = 'br' | 'gzip'

/**
 * Returns the smallest encoding that the client accepts. Browsers assign the same weight to all encodings, with gzip
 * first.
 */
export function bestEncoding(request: HttpRequest): Encoding | undefined {
  if (request.header('accept-encoding') === undefined) return undefined
  const accepted = request.encodings()
  return (['br', 'gzip'] as const).find((encoding) => accepted.includes(encoding))
}
