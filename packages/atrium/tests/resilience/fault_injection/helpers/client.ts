import { Agent, request, type IncomingHttpHeaders } from 'node:http'

export interface HttpResponse {
  /** Status code; 0 without a response */
  status: number
  headers: IncomingHttpHeaders
  body: any
  /** Duration in milliseconds */
  took: number
}

export type Call = (
  method: string,
  path: string,
  json?: unknown,
  headers?: Record<string, string>
) => Promise<HttpResponse>

/* Milliseconds after which a request counts as hanging. */
const TIMEOUT = 60_000

/**
 * Creates a client with keep-alive connections. It never throws: a missing response has the status
 * 0.
 */
export function clientOf(origin: string, connections = 8): { call: Call; close(): void } {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const call: Call = (method, path, json, headers = {}) =>
    new Promise((resolve) => {
      const begun = performance.now()
      const body = json === undefined ? undefined : JSON.stringify(json)
      const none = (error: Error) =>
        resolve({
          status: 0,
          headers: {},
          body: error.message,
          took: performance.now() - begun,
        })
      const sent = request(
        `${origin}${path}`,
        {
          method,
          agent,
          timeout: TIMEOUT,
          headers: {
            accept: 'application/json',
            ...(body !== undefined && {
              'content-type': 'application/json',
              'content-length': String(Buffer.byteLength(body)),
            }),
            ...headers,
          },
        },
        (response) => {
          let text = ''
          response.setEncoding('utf8').on('data', (chunk) => (text += chunk))
          response.on('error', none)
          response.on('end', () =>
            resolve({
              status: response.statusCode!,
              headers: response.headers,
              body: readBody(text),
              took: performance.now() - begun,
            })
          )
        }
      )
      sent.on('timeout', () => sent.destroy(new Error('No answer')))
      sent.on('error', none)
      sent.end(body)
    })
  return { call, close: () => agent.destroy() }
}

function readBody(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/**
 * Logs in to the admin site.
 *
 * @returns the cookies
 */
export async function signIn(origin: string, username: string, password: string): Promise<string> {
  const response = await fetch(`${origin}/admin/login`, {
    method: 'POST',
    body: new URLSearchParams({ username, password }),
    redirect: 'manual',
  })
  if (response.status !== 303) throw new Error(`Nobody could sign in: ${response.status}`)
  const lines = response.headers.getSetCookie()
  return lines.map((line) => line.split(';', 1)[0]).join('; ')
}
