/* A plain HTTP client: it does not parse, follow or normalize anything. */
interface CallOptions {
  /** Sent as JSON */
  json?: unknown
  /** Sent unchanged */
  body?: string | Uint8Array
  headers?: Record<string, string>
}

export interface HttpResponse {
  status: number
  headers: Headers
  text: string
  /** Parsed body if it is JSON, else undefined */
  body: any
}

export function urlOf(path: string): string {
  return `http://${process.env.HOST}:${process.env.PORT}${path}`
}

export async function call(
  method: string,
  path: string,
  options: CallOptions = {}
): Promise<HttpResponse> {
  const headers: Record<string, string> = { 'accept-encoding': 'identity', ...options.headers }
  if (options.json !== undefined) headers['content-type'] ??= 'application/json'
  const response = await fetch(urlOf(path), {
    method,
    headers,
    body: (options.json === undefined ? options.body : JSON.stringify(options.json)) as string,
    redirect: 'manual',
  })
  const text = await response.text()
  const isJson = /[/+]json/.test(response.headers.get('content-type') ?? '')
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: isJson && text !== '' ? JSON.parse(text) : undefined,
  }
}

export const get = (path: string, options?: CallOptions) => call('GET', path, options)
export const post = (path: string, json: unknown, options?: CallOptions) =>
  call('POST', path, { ...options, json })
export const patch = (path: string, json: unknown, options?: CallOptions) =>
  call('PATCH', path, { ...options, json })
export const del = (path: string, options?: CallOptions) => call('DELETE', path, options)

export async function statusOf(response: Promise<HttpResponse>): Promise<number> {
  const { status } = await response
  return status
}

/** Where the response leads to; null for one that leads nowhere. */
export async function locationOf(response: Promise<HttpResponse>): Promise<string | null> {
  const { headers } = await response
  return headers.get('location')
}
