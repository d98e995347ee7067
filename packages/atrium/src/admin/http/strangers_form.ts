import type { HttpContext } from '@adonisjs/core/http'

/* Bytes, with the files that a form may have: they are read over, and never written to the disk. */
const LONGEST = 256 * 1024

const MOST_TEXTS = 2000

/**
 * Texts of a form that somebody sends who is not signed in. Nothing is written anywhere. [R10]
 *
 * @returns null for what is not a form, and for one that is too long, of which nothing is read
 */
export async function textsOfStranger(ctx: HttpContext): Promise<Map<string, string[]> | null> {
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
