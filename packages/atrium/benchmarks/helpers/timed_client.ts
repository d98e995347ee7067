import { subscribe } from 'node:diagnostics_channel'
import { Agent, request, type IncomingMessage } from 'node:http'
import { performance } from 'node:perf_hooks'

export interface TimedResponse {
  /** Server time in milliseconds, from the arrival of the request to its response */
  time: number
  text: string
  bytes: number
}

/** Sends requests to the application in this process, one at a time. */
export class TimedClient {
  readonly #agent = new Agent({ keepAlive: true })
  #start = 0
  #time = 0

  constructor() {
    subscribe('http.server.request.start', () => {
      this.#start = performance.now()
    })
    subscribe('http.server.response.finish', () => {
      this.#time = performance.now() - this.#start
    })
  }

  /**
   * @throws Error  for a status other than 200
   */
  async get(path: string, headers: Record<string, string> = {}): Promise<TimedResponse> {
    const { HOST: host, PORT: port } = process.env
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      request({ agent: this.#agent, host, port, path, headers })
        .on('response', resolve)
        .on('error', reject)
        .end()
    })
    const chunks: Buffer[] = []
    for await (const chunk of response) chunks.push(chunk)
    /* The response may arrive before the server has finished sending it. */
    await new Promise(setImmediate)
    const body = Buffer.concat(chunks)
    if (response.statusCode !== 200) {
      throw new Error(`${path} answered ${response.statusCode}: ${body.subarray(0, 500)}`)
    }
    return { time: this.#time, text: body.toString(), bytes: body.length }
  }

  close(): void {
    this.#agent.destroy()
  }
}
