/* Sends raw bytes, for requests that client libraries refuse to send. */
import { connect } from 'node:net'

export interface RawResponse {
  status: number
  /** By lower-case name */
  headers: Record<string, string>
  body: any
}

/**
 * Sends the lines as one request and reads until the server closes the connection. Send
 * `Connection: close` if the server would not close it by itself.
 */
export async function exchange(...lines: string[]): Promise<RawResponse> {
  const socket = connect(Number(process.env.PORT), process.env.HOST)
  socket.setTimeout(10_000, () => socket.destroy(new Error('The server does not respond or close')))
  socket.write(`${lines.join('\r\n')}\r\n\r\n`)
  let text = ''
  for await (const chunk of socket) text += chunk

  const [head, ...rest] = text.split('\r\n\r\n')
  const [first, ...fields] = head.split('\r\n')
  const headers = Object.fromEntries(
    fields.map((field) => {
      const cut = field.indexOf(':')
      return [field.slice(0, cut).toLowerCase(), field.slice(cut + 1).trim()]
    })
  )
  const body = rest.join('\r\n\r\n')
  const isJson = headers['content-type']?.includes('json') && body !== ''
  return { status: Number(first.split(' ')[1]), headers, body: isJson ? JSON.parse(body) : body }
}
