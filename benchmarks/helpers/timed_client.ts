import { subscribe } from 'node:diagnostics_channel'
import { Agent, request, type IncomingMessage } from 'node:http'
import { performance } from 'node:perf_hooks'

export interface TimedAnswer {
  /** Milliseconds of the server's work, from the request's arrival until the answer is handed over */
  time: number
  text: string
  bytes: number
}

/**
 * Asks the application that runs in this process, one request at a time.
 */
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
   * @throws Error  when it is not answered with 200
   */
  async get(path: string, headers: Record<string, string> = {}): Promise<TimedAnswer> {
    const { HOST: host, PORT: port } = process.env
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      request({ agent: this.#agent, host, port, path, headers })
        .on('response', resolve)
        .on('error', reject)
        .end()
    })
    const chunks: Buffer[] = []
    for await (const chunk of response) chunks.push(chunk)
    /* The answer may be here before the server knows that it is out. */
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
