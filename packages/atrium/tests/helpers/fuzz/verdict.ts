/* Checks that apply to every response. */
import { Agent, request as nodeRequest, type IncomingHttpHeaders } from 'node:http'
import { SECRET } from '#tests/helpers/fuzz/state'
import type { FuzzRequest } from '#tests/helpers/fuzz/requests'

export interface FuzzResponse {
  status: number
  headers: IncomingHttpHeaders
  text: string
}

const AGENT = new Agent({ keepAlive: true, maxSockets: 4 })

/* A response that takes longer counts as hanging. */
const TIMEOUT = 30_000

/** Sends the request unchanged. */
export function send(
  { method, path, headers, body }: FuzzRequest,
  own: Record<string, string>
): Promise<FuzzResponse> {
  const { HOST: host, PORT: port } = process.env
  const bytes = Buffer.from(body)
  return new Promise((resolve, reject) => {
    const request = nodeRequest({
      host,
      port,
      method,
      path,
      agent: AGENT,
      headers: {
        ...own,
        ...headers,
        ...(bytes.length > 0 && { 'content-length': bytes.length }),
      },
    })
    request.setTimeout(TIMEOUT, () => request.destroy(new Error('no response came')))
    request.on('error', reject)
    request.on('response', (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (chunk) => (text += chunk))
      response.on('error', reject)
      response.on('end', () =>
        resolve({ status: response.statusCode!, headers: response.headers, text })
      )
    })
    request.end(bytes)
  })
}

/** Texts from the database, stacks and file paths. */
const INSIDE = [
  /node_modules|file:\/\/\/|\.(?:ts|edge|mjs):\d+|\n\s+at .+:\d+:\d+/,
  /SQLITE_|SqliteError|\bknex\b|\bER_[A-Z]{4}|\bpg_\w+/,
  /\bselect (?:\*|[`"]|count\(|distinct )|\binsert into\b|\bdelete from [`"]|\bupdate [`"]\w+[`"] set/i,
  /constraint failed|no such (?:table|column)|syntax error at or near/i,
]

/**
 * @throws Error  that describes what is wrong with the response
 */
export function judge(
  { path, method }: FuzzRequest,
  { status, headers, text }: FuzzResponse
): void {
  const fail = (reason: string) => {
    throw new Error(`${reason}: ${status} ${JSON.stringify(headers)} ${text.slice(0, 500)}`)
  }
  if (status >= 500 && status !== 501) fail('an error of the server')

  const type = headers['content-type'] ?? ''
  if (!/javascript|css|svg/.test(type)) {
    for (const pattern of [...INSIDE, process.cwd()]) {
      if (typeof pattern === 'string' ? text.includes(pattern) : pattern.test(text)) {
        fail(`it tells of the inside (${pattern})`)
      }
    }
    if (type.includes('html') && /<xss|\b1337\b/.test(text)) fail('markup of a caller is markup')
  }
  if (text.includes(SECRET) || JSON.stringify(headers).includes(SECRET)) fail('it tells a secret')
  if (headers['x-injected'] !== undefined) fail('a header of the caller')
  if (headers.location && !/^\/(?![/\\])/.test(headers.location)) fail('it leads elsewhere')
  if (headers['hx-redirect'] && !/^\/(?![/\\])/.test(String(headers['hx-redirect']))) {
    fail('it leads elsewhere')
  }
  if (headers['x-request-id'] === undefined) fail('it has no id')
  if (headers['access-control-allow-origin'] !== undefined) fail('another site may read it')

  const isProblem = type.startsWith('application/problem+json')
  if (status >= 400 && path.startsWith('/api/') && !isProblem) fail('it is no problem')
  if (isProblem && method !== 'HEAD' && JSON.parse(text).status !== status) fail('another status')
  if (/^\/admin(?:\/|\?|$)/.test(path) && type.includes('html')) {
    if (!headers['content-security-policy']) fail('it has no policy')
  }
}
