import type { HttpRequest } from '@adonisjs/core/http'

export type Encoding = 'br' | 'gzip'

/** The smallest encoding that the client accepts. Browsers give all of them the same weight, gzip first. */
export function bestEncoding(request: HttpRequest): Encoding | undefined {
  const accepted = request.encodings()
  return (['br', 'gzip'] as const).find((encoding) => accepted.includes(encoding))
}
