import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

/** A server that speaks as much of S3 as single objects need, with the bucket in the path. */
export class S3Server {
  /** By path, as in `/bucket/Portrait/0123.png` */
  readonly objects = new Map<string, Buffer>()

  /** Status of every response while it is set */
  failure: number | undefined

  /** Authorization headers, one for each request */
  readonly authorizations: Array<string | undefined> = []

  readonly #server = createServer((request, response) => void this.#response(request, response))

  /**
   * @returns the address for `endpoint`
   */
  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  async #response(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = decodeURIComponent(new URL(request.url!, 'http://s3').pathname)
    const body = await buffer(request)
    this.authorizations.push(request.headers.authorization)
    if (this.failure) return void response.writeHead(this.failure).end()

    const object = this.objects.get(path)
    if (request.method === 'PUT') {
      this.objects.set(path, body)
      response.writeHead(200, { etag: '"1"' }).end()
    } else if (request.method === 'DELETE') {
      this.objects.delete(path)
      response.writeHead(204).end()
    } else if (object) {
      const headers = {
        'content-length': object.length,
        'last-modified': new Date(0).toUTCString(),
      }
      response.writeHead(200, headers).end(request.method === 'HEAD' ? undefined : object)
    } else {
      const error = '<Error><Code>NoSuchKey</Code><Message>no</Message></Error>'
      response
        .writeHead(404, { 'content-type': 'application/xml' })
        .end(request.method === 'HEAD' ? undefined : error)
    }
  }
}
