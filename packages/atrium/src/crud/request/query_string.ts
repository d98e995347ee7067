import type { HttpContext } from '@adonisjs/core/http'
import { invalidParameter, malformedUrl, unknownParameter } from '#base/http/problems'
import { closest } from 'fastest-levenshtein'
import type { CrudConfig } from '../define_config.js'

/**
 * The parameters of a query string as they were sent: a comma makes no list and brackets make no object,
 * whatever the application's own parser does.
 */
export class QueryString {
  readonly #values = new Map<string, string[]>()
  readonly #nested = new Set<string>()

  /**
   * @param text  without the question mark
   * @throws Problem 400  for an invalid percent encoding
   */
  constructor(text: string) {
    for (const pair of text.split('&')) {
      if (pair === '') continue
      const cut = pair.indexOf('=')
      const name = decode(cut < 0 ? pair : pair.slice(0, cut))
      const value = cut < 0 ? '' : decode(pair.slice(cut + 1))

      const bracket = name.indexOf('[')
      if (bracket > 0) this.#nested.add(name.slice(0, bracket))
      else if (this.#values.has(name)) this.#values.get(name)!.push(value)
      else this.#values.set(name, [value])
    }
  }

  /** The names of all parameters. */
  get names(): string[] {
    return [...new Set([...this.#values.keys(), ...this.#nested])]
  }

  has(name: string): boolean {
    return this.#values.has(name) || this.#nested.has(name)
  }

  /**
   * @returns the value, or undefined if the parameter is absent
   * @throws Problem 422  when it was sent twice, or with brackets
   */
  get(name: string): string | undefined {
    if (this.#nested.has(name)) {
      throw invalidParameter(name, 'single', 'must be a single value, without brackets')
    }
    const values = this.#values.get(name)
    if (values && values.length > 1) {
      throw invalidParameter(name, 'single', 'must be given once')
    }
    return values?.[0]
  }
}

/**
 * The parameters of a request.
 */
export function queryOf({ request }: HttpContext): QueryString {
  return new QueryString(request.parsedUrl.query ?? '')
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    throw malformedUrl()
  }
}

/**
 * Refuses an unknown parameter. [A19]
 *
 * @throws Problem 422  naming the nearest known one
 */
export function refuseUnknown(query: QueryString, known: readonly string[]): void {
  const unknown = query.names.find((name) => !known.includes(name))
  if (unknown !== undefined) {
    throw unknownParameter(unknown, known.length > 0 ? closest(unknown, known) : undefined)
  }
}

/** Refuses every parameter of a write, if the configuration is strict. [A19] */
export function checkWriteQuery(query: QueryString, config: CrudConfig): void {
  if (config.strictQuery) refuseUnknown(query, [])
}
