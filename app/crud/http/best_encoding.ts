import type { HttpRequest } from '@adonisjs/core/http'

export type Encoding = 'br' | 'gzip'

/**
 * The smallest of the encodings that the client takes. Browsers name them all as equals, gzip first.
 */
export function bestEncoding(request: HttpRequest): Encoding | undefined {
  const accepted = request.encodings()
  return (['br', 'gzip'] as const).find((encoding) => accepted.includes(encoding))
}
