/** A client that stores cookies and follows no redirect */
export class Visitor {
  readonly #cookies = new Map<string, string>()

  /** @param referer  path of the page that every request comes from */
  constructor(
    private readonly url: string,
    private readonly referer = '/posts/create'
  ) {}

  get(path: string, headers: Record<string, string> = {}) {
    return this.send(path, {}, headers)
  }

  /** Submits a form. */
  post(path: string, values: Record<string, string>, headers: Record<string, string> = {}) {
    return this.send(path, { method: 'POST', body: new URLSearchParams(values) }, headers)
  }

  /** Reads the CSRF token of the form on a page. */
  async tokenOf(path: string) {
    const { text } = await this.get(path)
    return /name=['"]_csrf['"] value=['"]([^'"]+)/.exec(text)![1]
  }

  async send(path: string, options: RequestInit, headers: Record<string, string> = {}) {
    const response = await fetch(this.url + path, {
      ...options,
      headers: {
        cookie: [...this.#cookies].map((pair) => pair.join('=')).join('; '),
        accept: 'text/html',
        referer: this.url + this.referer,
        ...headers,
      },
      redirect: 'manual',
    })
    const cookies = response.headers.getSetCookie()
    for (const line of cookies) {
      const [name, value] = line.split(';')[0].split(/=(.*)/s)
      this.#cookies.set(name, value)
    }
    return {
      status: response.status,
      text: await response.text(),
      headers: response.headers,
      cookies,
    }
  }
}
