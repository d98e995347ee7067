import type { MultipartFile } from '@adonisjs/core/bodyparser'
import type { HttpContext } from '@adonisjs/core/http'
import { TooManyValues } from './errors.js'

/* Maximum number of values of a field; more than any field of the site has */
const MOST_VALUES = 1000

/** Maximum number of different field names of a form, or of all values of a multipart form */
export const MOST_FIELDS = 10_000

const read = new WeakMap<HttpContext, Map<string, string[]>>()

/**
 * Parses all values of a form, once per request. Parses urlencoded bodies without the application's parser, which would
 * convert long lists and names with brackets to objects.
 *
 * @throws TooManyValues
 */
export function sentTexts(ctx: HttpContext): Map<string, string[]> {
  const texts = read.get(ctx) ?? readTexts(ctx)
  read.set(ctx, texts)
  return texts
}

/** Sets stored form values as the values of a request. */
export function giveTexts(ctx: HttpContext, texts: Map<string, string[]>): void {
  read.set(ctx, texts)
}

/** Returns the uploaded files by input name; none if the texts are those of a draft, so that no body was read. */
export function sentFiles({
  request,
}: HttpContext): Record<string, MultipartFile | MultipartFile[]> {
  return request.is(['multipart']) ? request.allFiles() : {}
}

/**
 * Returns the trimmed value of a field that is sent once.
 *
 * @returns undefined if the field is missing or was sent several times
 */
export function singleText(texts: Map<string, string[]>, name: string): string | undefined {
  return exactText(texts, name)?.trim()
}

/**
 * Returns the untrimmed value of a field that is sent once, such as a password.
 *
 * @returns undefined if the field is missing or was sent several times
 */
export function exactText(texts: Map<string, string[]>, name: string): string | undefined {
  const sent = texts.get(name) ?? []
  return sent.length === 1 ? sent[0] : undefined
}

function readTexts({ request }: HttpContext): Map<string, string[]> {
  const texts = new Map<string, string[]>()
  const raw = request.raw()
  if (request.is(['urlencoded']) && raw !== null) {
    for (const [name, value] of new URLSearchParams(raw)) {
      const known = texts.get(name)
      if (known) known.push(value)
      else texts.set(name, [value])
      if (texts.size > MOST_FIELDS || (known && known.length > MOST_VALUES)) {
        throw new TooManyValues()
      }
    }
    return texts
  }
  if (!request.is(['multipart'])) return texts
  for (const [name, value] of Object.entries(request.body())) {
    const list = (Array.isArray(value) ? value : [value]).map((one) => one ?? '')
    if (list.length > MOST_VALUES) throw new TooManyValues()
    texts.set(
      name,
      list.filter((one) => typeof one === 'string')
    )
  }
  return texts
}

/* Maximum bytes of the body. Files in a form are skipped and never written to the disk. */
const LONGEST = 256 * 1024

const MOST_TEXTS = 2000

/**
 * Returns the values of a form that an anonymous user has sent. Files are ignored, and nothing is written to the disk.
 *
 * @returns null if the body is not a valid form, has no length, is longer than `LONGEST` (then it is not read to the
 *   end) or has more than `MOST_TEXTS` texts
 */
export async function textsOfAnonymous(ctx: HttpContext): Promise<Map<string, string[]> | null> {
  const { request } = ctx
  const type = request.header('content-type') ?? ''
  const length = Number(request.header('content-length') ?? Number.NaN)
  if (!request.is(['urlencoded', 'multipart']) || !(length <= LONGEST)) return null
  const body = await bodyOf(ctx)
  if (body === null) return null
  const form = await parsed(body, type)
  const texts = new Map<string, string[]>()
  let count = 0
  for (const [name, value] of form ?? []) {
    if (typeof value !== 'string') continue
    if (++count > MOST_TEXTS) return null
    texts.set(name, [...(texts.get(name) ?? []), value])
  }
  return form && texts
}

async function bodyOf({ request }: HttpContext): Promise<Buffer<ArrayBuffer> | null> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request.request as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > LONGEST) return null
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

async function parsed(body: Buffer<ArrayBuffer>, type: string): Promise<FormData | null> {
  const headers = { 'content-type': type }
  return await new Response(body, { headers }).formData().catch(() => null)
}
